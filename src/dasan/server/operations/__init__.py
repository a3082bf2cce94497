"""The operation of a host: background tasks, health, metrics, logs and the data folder."""
