never_served: not potentially accept P.E
