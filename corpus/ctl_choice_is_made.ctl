served: (always ((eventually accept S0.E) -> at served1));
