"""Temporal properties under fairness, decided on the state graph; `properties` is where to begin reading."""
