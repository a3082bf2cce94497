"""Deep Monte Carlo self-play in under 60 lines: a network learns what each move of each seat will be paid.

python examples/train_dmc.py --game big-two --minutes 20      (needs PyTorch: pip install torch)
"""

import argparse
import time
from typing import Any

import numpy as np

import dasan


def main(game: str, minutes: float, num_envs: int = 512, deals: int = 1000) -> dasan.vector.Duel:
    import torch  # here, because --help needs none

    torch.manual_seed(0)
    torch.set_num_threads(1)  # faster for so few rows
    env = dasan.vector.make(game, num_envs, seed=1, moves="ragged")
    size = env.num_features + env.num_move_features
    hidden = [torch.nn.Linear(size, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128), torch.nn.ReLU()]
    net = torch.nn.Sequential(*hidden, torch.nn.Linear(128, 1))
    learner = torch.optim.Adam(net.parameters(), lr=5e-4)

    def scores(obs: Any, moves: Any, starts: Any) -> Any:
        """What the network makes of every row of `moves`, which begin at `starts` for each of `obs`."""
        with torch.no_grad():
            seen = torch.from_numpy(np.repeat(obs, np.diff(starts), axis=0))
            return net(torch.cat([seen, torch.from_numpy(moves)], 1).float()).squeeze(1).numpy()

    returns, explorer, everybody = dasan.vector.Returns(env), np.random.default_rng(1), np.arange(num_envs)
    start, steps = time.monotonic(), 0
    while time.monotonic() - start < 60 * minutes:
        for _ in range(64):
            actions = env.legal[:, 0].astype(np.int32)
            choosing = everybody[env.num_legal > 1]  # more than a third of all moves are forced
            actions[choosing] = env.best(scores, choosing)
            explore = explorer.random(num_envs) < 0.02
            actions[explore] = env.sample()[explore]
            returns.step(actions)
        batch = returns.take()
        for part in np.array_split(explorer.permutation(len(batch.obs)), max(1, len(batch.obs) // 2048)):
            rows = torch.from_numpy(np.hstack([batch.obs[part], batch.moves[part]])).float()
            loss = torch.nn.functional.mse_loss(net(rows).squeeze(1), torch.from_numpy(batch.payments[part]))
            learner.zero_grad()
            loss.backward()
            learner.step()
            steps += 1
    result = env.duel(scores, "random", deals)
    print(f"{steps} updates; one against random: {result.mean:+.2f} [{result.low:+.2f}, {result.high:+.2f}] a hand")
    return result


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--game", default="big-two")
    words.add_argument("--minutes", type=float, default=20)
    main(**vars(words.parse_args()))
