"""Which model answers, and how long it thinks.

The session's path says it, until the person chooses; what the person chose is written to the
session by `RunParts.write_pending` and so becomes what the path says.
"""

from __future__ import annotations

from pi_lsp.errors import NoModelError, NotFoundError
from pi_lsp.llm.provider import Model
from pi_lsp.llm.providers import Providers
from pi_lsp.llm.thinking import clamp
from pi_lsp.messages import ThinkingLevel
from pi_lsp.settings import Settings

ModelRef = tuple[str, str]
"""Provider and id."""


class ModelChoice:
    """The model and thinking level of the next request.

    Attributes:
        model: the model that answers.
    """

    def __init__(self, providers: Providers, settings: Settings) -> None:
        self._providers = providers
        self._settings = settings
        self._wanted: ThinkingLevel = settings.default_thinking_level
        self._is_default = True
        self.model: Model = self._default()

    @property
    def level(self) -> ThinkingLevel:
        """The wanted level, or the nearest that the model takes."""
        return clamp(self.model, self._wanted)

    @property
    def ref(self) -> ModelRef:
        return self.model.provider, self.model.id

    def configure(self, providers: Providers, settings: Settings) -> None:
        """Take new settings, or a new key: a model that nobody chose is chosen again."""
        self._providers = providers
        if settings.default_thinking_level != self._settings.default_thinking_level:
            self._wanted = settings.default_thinking_level
        self._settings = settings
        if self._is_default:
            self.model = self._default()

    def follow(self, ref: ModelRef | None, level: ThinkingLevel | None) -> str | None:
        """Take what a path says; None where it says nothing.

        Returns:
            A warning when the path's model cannot be used here; the default one is then.
        """
        warning = self._follow_model(ref) if ref is not None else None
        if level is not None and (self.model.reasoning or level != "off"):
            # A model that cannot think was always written as "off": that was nobody's wish.
            self._wanted = level
        return warning

    def choose_model(self, provider: str, model_id: str) -> Model:
        """The person's choice.

        Raises:
            NotFoundError: no such model is known.
            AuthError: there is no key for it.
        """
        model = self._providers.catalogue.find(provider, model_id)
        if model is None:
            raise NotFoundError(
                f"There is no model {provider}/{model_id}: choose one of the list of models, "
                "or describe it in the setting `models`."
            )
        self._providers.get(model)
        self.model = model
        self._is_default = False
        return model

    def choose_level(self, level: ThinkingLevel) -> ThinkingLevel:
        """The person's choice; returns the nearest level that the model takes."""
        self._wanted = level
        return self.level

    def require_usable(self) -> None:
        """
        Raises:
            AuthError: the model has no key.
            NoModelError: the model is not known any more.
        """
        if self._providers.catalogue.find(*self.ref) is None:
            raise NoModelError(f"The model {'/'.join(self.ref)} is not known any more: choose one.")
        self._providers.get(self.model)

    def _default(self) -> Model:
        return self._providers.catalogue.default(
            self._providers.available,
            provider=self._settings.default_provider,
            model_id=self._settings.default_model,
        )

    def _follow_model(self, ref: ModelRef) -> str | None:
        model = self._providers.catalogue.find(*ref)
        if model is not None and self._providers.available(model):
            self.model = model
            self._is_default = False
            return None
        self.model = self._default()
        self._is_default = True
        why = "is not known here" if model is None else "has no key here"
        return f"The session's model {'/'.join(ref)} {why}; {self.model.name} is used instead."
