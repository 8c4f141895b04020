ends: eventually ended C0
