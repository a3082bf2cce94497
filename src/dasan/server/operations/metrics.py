"""Metrics for Prometheus. Labels are closed sets (methods, routes, codes, bots): no players, tables or cards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dasan import __version__
from dasan.server.connections.networks import NetworkCounts
from dasan.server.operations.checks import free_bytes, last_backup
from dasan.server.operations.once import Once
from dasan.server.settings import Settings
from dasan.server.store import damage
from dasan.server.tables.directory import Tables

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LOOK = 0.5
"""Seconds between two measurements of the event loop's delay."""
PATIENCE = 2.0
"""Seconds to wait for the folder of backups, which may be on a disk that does not answer."""


class Metrics:
    """The metrics of one server. Call ``measure_delay`` repeatedly to measure the event loop's delay."""

    def __init__(self, settings: Settings) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self.requests = Histogram(
            "dasan_http_request_seconds",
            "Time until a request was answered.",
            ("method", "route", "status"),
            registry=self.registry,
            buckets=FAST,
        )
        self.commands = Histogram(
            "dasan_command_seconds",
            "Time from a command on a socket until it was acknowledged or refused.",
            ("command", "outcome"),
            registry=self.registry,
            buckets=FAST,
        )
        self.loop_delay = Histogram(
            "dasan_event_loop_delay_seconds",
            "How much later than asked the event loop woke up.",
            registry=self.registry,
            buckets=FAST,
        )
        self.sockets_opened = Counter("dasan_sockets_opened", "Sockets that were opened.", registry=self.registry)
        self._backup_dir = settings.backup_dir
        self._looks: Once[float] = Once()
        self._parts = _Parts(settings)
        self.registry.register(self._parts)
        ProcessCollector(registry=self.registry)

    def attach(self, tables: Tables, sockets: NetworkCounts) -> None:
        """Start counting open tables and sockets."""
        self._parts.tables, self._parts.sockets = tables, sockets

    async def measure_delay(self) -> None:
        """Measure the event loop's delay once, which takes ``LOOK`` seconds."""
        begun = time.monotonic()
        await asyncio.sleep(LOOK)
        self.loop_delay.observe(max(0.0, time.monotonic() - begun - LOOK))

    async def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        if self._backup_dir:
            self._parts.last_backup = await self._look_at_backups(Path(self._backup_dir))
        return generate_latest(self.registry)

    async def _look_at_backups(self, folder: Path) -> float:
        """When the newest backup was written; 0 if there is none, or if the folder does not answer. One look at a time: each
        occupies a thread until then.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._looks.do("backups", lambda: asyncio.to_thread(last_backup, folder))
        except TimeoutError:
            return 0.0


class _Parts(Collector):
    """The counters of the parts of the server, read at each scrape."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.last_backup: float | None = None
        """As looked up for this scrape; None: the settings name no folder."""
        self.tables: Tables | None = None
        self.sockets = NetworkCounts()

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("dasan_build", "The version that is running.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        yield GaugeMetricFamily("dasan_sockets", "Sockets that are open.", value=self.sockets.total)
        free = free_bytes(self._settings)
        if free is not None:
            yield GaugeMetricFamily("dasan_disk_free_bytes", "Free on the disk of the data folder.", value=free)
        backup, written = "dasan_last_backup_timestamp_seconds", self.last_backup
        if written is not None:
            yield GaugeMetricFamily(backup, "When the newest backup was written, since 1970; 0: none.", value=written)
        if self.tables is None:
            return
        counts = self.tables.store.log.counts
        damaged = "Damaged rows of the database that this process has found; the log names each."
        yield GaugeMetricFamily("dasan_damaged_rows", damaged, value=len(damage.known))
        yield GaugeMetricFamily("dasan_tables", "Tables that are open in this process.", value=len(self.tables))
        yield CounterMetricFamily("dasan_entries", "Entries of tables' logs on disk.", value=counts.entries)
        yield CounterMetricFamily("dasan_writes", "Writes of tables to their logs.", value=counts.writes)
        yield CounterMetricFamily("dasan_transactions", "Transactions with these writes.", value=counts.transactions)
        yield CounterMetricFamily("dasan_write_seconds", "Seconds spent on these writes.", value=counts.seconds)
        yield CounterMetricFamily("dasan_write_failures", "Writes that failed.", value=counts.failures)
        yield CounterMetricFamily("dasan_hands_finished", "Hands that ended.", value=counts.hands)
        jobs = CounterMetricFamily("dasan_jobs", "Work of worker processes.", labels=["pool", "outcome"])
        for pool in (self.tables.bots, self.tables.study):
            for outcome, count in pool.counts.items():
                jobs.add_metric([pool.name, outcome], count)
        yield jobs
        bots = CounterMetricFamily("dasan_bot_failures", "Moves that a bot owed, by bot.", labels=["bot"])
        for bot, count in self.tables.choices.failed.items():
            bots.add_metric([bot], count)
        yield bots
