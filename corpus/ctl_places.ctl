never_there: always not (Tank at 18);
there: potentially (Tank at 18);
-- Line 21 lies between them.
from_one_to_the_other: always ((Tank at 20) -> ((Tank at 20 or Tank at 22) until ended Tank));
only_fills: always accept Tank.Fill;
only_calls: always not accept Tank.Fill;
