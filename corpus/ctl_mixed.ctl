closes:      always (accept File.Open -> eventually accept File.Close);
goes_on:     always (accept File.Open -> eventually accept File.Work);
opens_first: always (accept File.Close -> always not accept File.Open);
leaves:      always (accept File.Close -> eventually ended Ctl_Mixed);
works_next:  always (accept File.Open -> Ctl_Mixed at 36);
never_both:  not potentially (accept File.Open and ended File);
