far:     potentially event done;
comes:   eventually event done;
near:    potentially event begun;
never:   always not event begun;
not_yet: always not event done;
first:   eventually event begun;
