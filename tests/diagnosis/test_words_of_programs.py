"""Programs tell of their steps and of their end in words of their own, behind any logger's prefix."""

from __future__ import annotations

import io

import pytest

from analyzer.assembly.assemble import signal_semantics
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

LOGGERS = (
    "2026-03-01 10:00:{second:02},123 INFO train: {text}",
    "I0301 10:00:{second:02}.123456 140704 train.py:41] {text}",
    "INFO:root:{text}",
    "{text}",
)
# With a 12 that counts up.
STEPS = """
step 12 loss 0.5
Step 12: loss=0.5
[12/1000] loss 0.5
12/1000 loss: 0.5
iteration 12, loss 0.5
i=12 loss=0.5
batch 12 loss 0.5
global step: 12, loss: 0.5
loss = 0.5, step = 12 (0.3 sec)
epoch 1 step 12 loss 0.5
Epoch 1/5 - 12/1000 - loss 0.5
[epoch 1][12/1000] loss 0.5
update 12 cost 0.5
{"step": 12, "loss": 0.5}
t=12 loss=0.5
n=12 rmse 0.5
worker 0 local 12 global 24 loss 0.5
Schritt 12 Verlust 0.5
INFO fit: Schritt 12 verlust=0.5
ステップ 12 損失 0.5
Шаг 12, потери=0.5
paso 12 perdida 0.5
processed 12 batches, avg loss 0.5
pass 12 cost 0.5
generation 12 score 0.5
STEP 12
"""
ENDS = """
model=nmt fim do treino
Entrenamiento finalizado en 312 s
fin de l'entraînement
addestramento completato
Trainingsende erreicht
koniec uczenia
eğitim tamamlandı
학습 완료
Training finished.
Training completed in 312.4 s
done training
Done.
INFO - done pod=w-0 rank=3
=== finished ===
worker 0 finished
task 2 done
Job done
exiting with status 0
Run finished successfully
Main loop finished
run complete: loss=0.12
SUCCESS
model saved, exiting
saving final checkpoint and exiting
Final test accuracy: 0.91
final loss 0.0123
Reached max_steps 1200, stopping
Epoch 12: early stopping
Restoring model weights from the end of the best epoch: 9.
finished all epochs
Completed 1200/1200 steps
steps: 1200/1200, done
Terminated normally
fit() returned
Fertig nach 1200 Schritten
entrenamiento terminado
Training abgeschlossen
训练完成
"""
# What sounds alike and is neither.
OTHERS = """
data loading done
checkpoint 3/10 written
Beendet
Terminado
last completed step 1200, 611.4 s ago
still at step 1200 after 300 s
job not finished yet
will stop when training is finished
received SIGTERM, training finished early
early stopping: True
Final answer from the resolver
waiting for worker 0 to be done
retry 3/10 after error 0.5
"""


def signals_of(text: str, plan: ReadPlan) -> set[str]:
    return {event.signal for event in read_source("worker-0.log", io.BytesIO(text.encode()), plan).events}


def lines_of(block: str) -> list[str]:
    return block.strip().splitlines()


@pytest.mark.parametrize("text", lines_of(STEPS))
def test_steps(text: str, packs: Packs, plan: ReadPlan) -> None:
    progress = signal_semantics(packs).signals_with("progress")
    for logger in LOGGERS:
        rows = [logger.format(second=at, text=text.replace("12", str(12 + at), 1)) for at in range(3)]
        assert signals_of("\n".join(rows) + "\n", plan) & progress, logger


@pytest.mark.parametrize("text", lines_of(ENDS))
def test_ends(text: str, packs: Packs, plan: ReadPlan) -> None:
    ends = signal_semantics(packs).signals_with("finished", "exit", "succeeded")
    for logger in LOGGERS:
        assert signals_of(logger.format(second=3, text=text) + "\n", plan) & ends, logger


@pytest.mark.parametrize("text", lines_of(OTHERS))
def test_what_sounds_alike(text: str, packs: Packs, plan: ReadPlan) -> None:
    meant = signal_semantics(packs).signals_with("finished", "exit", "succeeded", "progress")
    for logger in LOGGERS:
        assert not signals_of(logger.format(second=3, text=text) + "\n", plan) & meant, logger
