"""Operations: background tasks, health, metrics, logs and the data folder."""
