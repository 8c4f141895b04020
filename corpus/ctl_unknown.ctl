rings: potentially accept Bell.Ring;
silent: always not accept Bell.Ring;
ends: always ((not ended Bell) unless (ended Bell));
