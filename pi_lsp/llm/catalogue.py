"""The models that can be chosen, and what is known of them.

Facts come from, later over earlier: the built-in list of Anthropic's models
(`data/anthropic-models.json`) and the demo model; the settings' `models`, which hold those of
pi's `models.json` too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from pi_lsp.llm.provider import Model, ModelCost
from pi_lsp.messages import ThinkingLevel
from pi_lsp.settings import ModelSettings

ANTHROPIC = "anthropic"
DEMO = Model(
    provider="demo",
    id="demo",
    name="Demo model (built in, needs no key)",
    api="demo",
    context_window=200_000,
    max_tokens=8192,
)

_SONNET = re.compile(r"claude-sonnet-(\d+)(?:-(\d{1,2}))?")
"""A Sonnet's id with its version; ids that end in a date name an older snapshot."""


class _Facts(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", frozen=True, defer_build=True
    )


class _PriceFacts(_Facts):
    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost(self, tiers: tuple[tuple[int, ModelCost], ...] = ()) -> ModelCost:
        return ModelCost(self.input, self.output, self.cache_read, self.cache_write, tiers)


class _TierFacts(_PriceFacts):
    input_tokens_above: int


class _CostFacts(_PriceFacts):
    tiers: list[_TierFacts] = Field(default_factory=list[_TierFacts])

    def with_tiers(self) -> ModelCost:
        tiers = sorted(self.tiers, key=lambda tier: tier.input_tokens_above)
        return self.cost(tuple((tier.input_tokens_above, tier.cost()) for tier in tiers))


class _ModelFacts(_Facts):
    """One model of the built-in list."""

    id: str
    name: str
    context_window: int
    max_tokens: int
    reasoning: bool
    input: tuple[str, ...]
    cost: _CostFacts
    adaptive_thinking: bool
    thinking_levels: dict[ThinkingLevel, str | None] | None

    def model(self) -> Model:
        return Model(
            provider=ANTHROPIC,
            id=self.id,
            name=self.name,
            api="anthropic-messages",
            context_window=self.context_window,
            max_tokens=self.max_tokens,
            reasoning=self.reasoning,
            adaptive_thinking=self.adaptive_thinking,
            thinking_levels=self.thinking_levels,
            input=self.input,
            cost=self.cost.with_tiers(),
        )


class Catalogue:
    """All models, by provider and id.

    Args:
        models: the settings' own models.
    """

    def __init__(self, models: Iterable[ModelSettings] = ()) -> None:
        self._models: dict[tuple[str, str], Model] = {}
        for model in (*_built_in(), DEMO):
            self._models[model.provider, model.id] = model
        for settings in models:
            known = self.find(settings.provider, settings.id)
            self._models[settings.provider, settings.id] = _from_settings(settings, known)

    def models(self) -> list[Model]:
        """All models: Anthropic's, the demo model, then those of the settings."""
        return list(self._models.values())

    def find(self, provider: str, model_id: str) -> Model | None:
        """The model of this name, or None."""
        return self._models.get((provider, model_id))

    def default(
        self,
        usable: Callable[[Model], bool],
        *,
        provider: str | None = None,
        model_id: str | None = None,
    ) -> Model:
        """The model to start with.

        It is the one that the settings name (`provider`, `model_id`; either may be left out) if
        it can be used; else Anthropic's newest Sonnet; else the demo model.

        Args:
            usable: whether what a model needs (a key) is there.
        """
        for model in (*self._named(provider, model_id), *self._sonnets_newest_first()):
            if usable(model):
                return model
        return self._models[DEMO.provider, DEMO.id]

    def _named(self, provider: str | None, model_id: str | None) -> list[Model]:
        """The models that a default names; an id may hold its provider (`anthropic/…`)."""
        if model_id is None and provider in (None, ANTHROPIC):
            return []  # Anthropic's default is the newest Sonnet anyway
        return [
            model
            for model in self._models.values()
            if provider in (None, model.provider)
            and model_id in (None, model.id, f"{model.provider}/{model.id}")
        ]

    def _sonnets_newest_first(self) -> list[Model]:
        versions = {
            (int(match[1]), int(match[2] or 0)): model
            for model in self._models.values()
            if model.provider == ANTHROPIC and (match := _SONNET.fullmatch(model.id))
        }
        return [versions[version] for version in sorted(versions, reverse=True)]


def _built_in() -> list[Model]:
    text = (files("pi_lsp.llm") / "data" / "anthropic-models.json").read_text(encoding="utf-8")
    return [_ModelFacts.model_validate(facts).model() for facts in json.loads(text)["models"]]


def _from_settings(settings: ModelSettings, known: Model | None) -> Model:
    """A model of the settings; what they leave out stays as it is known."""
    if known is None:
        return Model(
            provider=settings.provider,
            id=settings.id,
            name=settings.name or settings.id,
            api="demo" if settings.provider == DEMO.provider else "anthropic-messages",
            context_window=settings.context_window,
            max_tokens=settings.max_tokens,
            reasoning=settings.reasoning,
            thinking_levels=settings.thinking_level_map,
            input=tuple(settings.input),
            cost=_cost(settings),
        )
    changes: dict[str, Any] = settings.model_dump(
        include={"name", "context_window", "max_tokens", "reasoning"},
        exclude_unset=True,
        exclude_none=True,
    )
    if settings.thinking_level_map is not None:
        changes["thinking_levels"] = settings.thinking_level_map
    if "input" in settings.model_fields_set:
        changes["input"] = tuple(settings.input)
    if settings.cost is not None:
        changes["cost"] = _cost(settings)
    return replace(known, **changes)


def _cost(settings: ModelSettings) -> ModelCost:
    return ModelCost(**settings.cost.model_dump()) if settings.cost is not None else ModelCost()
