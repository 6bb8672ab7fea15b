"""Running text of common words, frequent ones more often than rare ones."""

from __future__ import annotations

from random import Random

_COMMON = """
the of and to in is that for it was on are as with his they at be this from have or by one had not but what all were
when we there can an your which their said if do will each about how up out them then she many some so these would
other into has more her two like him see time could no make than first been its who now people my made over did down
only way find use may water long little very after words called just where most know get through back much before go
good new write our used me man too any day same right look think also around another came come work three word must
because does part even place well such here take why things help put years different away again off went old number
great tell men say small every found still between name should home big give air line set own under read last never
us left end along while might next sound below saw something thought both few those always looked show large often
together asked house world going want school important until form food keep children feet land side without boy once
animals life enough took sometimes four head above kind began almost live page got earth need far hand high year
mother light parts country father let night following picture being study second eyes soon times story boys since
white days ever paper hard near sentence better best across during today others however sure means knew try told
young miles sun ways thing whole hear example heard several change answer room sea against top turned learn point
city play toward five using himself usually money seen car morning body family later turn move face door cut done
group true half red fish plants living black eat short United run book gave order open ground cold really table
remember tree course front American space inside ago sad early learned brought close nothing though idea before lived
became add become grow draw yet less wind behind cannot letter among able dog shown mean English rest perhaps certain
six feel fire ready green yes built special ran full town complete oh person hot anything hold state list stood
hundred ten fast felt kept notice strong voice probably area horse matter stand box start class piece surface river
common stop am talk whether fine auction market vintage silver garden marble lantern harbour meadow compass orchard
velvet copper thunder whisper feather anchor castle canyon ember falcon glacier hollow island jungle kettle ladder
""".split()


class Prose:
    """Endless prose from `rng`: slices of one long line, since drawing word by word is too slow for gigabytes."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        count = len(_COMMON)
        # Squaring skews the draw towards the front of the list, where the frequent words are.
        self._line = [_COMMON[int(count * rng.random() ** 2)] for _ in range(50_000)]

    def words(self, least: int, most: int) -> str:
        """Between `least` and `most` words, separated by blanks."""
        random = self._rng.random
        length = least + int((most - least + 1) * random())
        start = int((len(self._line) - length) * random())
        return " ".join(self._line[start : start + length])
