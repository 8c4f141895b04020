--  A door that was opened is closed again; the motor starts; it may start before the passenger is done.
closes: always (accept Door.Open -> eventually accept Door.Close);
starts: eventually accept Motor.Start;
early:  potentially (accept Motor.Start and not ended Passenger);
