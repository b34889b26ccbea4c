"""The services that run the models: made when first needed, kept while their key stays the same."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pi_lsp.errors import AuthError, PiError, ProviderError
from pi_lsp.llm.anthropic.provider import AnthropicProvider
from pi_lsp.llm.catalogue import ANTHROPIC, Catalogue
from pi_lsp.llm.demo import DemoProvider
from pi_lsp.llm.provider import Model, Provider

log = logging.getLogger(__name__)

_NO_KEY = "no-key"
"""What is sent to a service of one's own (a local server) that asks for no key."""


class Providers:
    """Gives the provider of a model.

    Args:
        catalogue: the models that there are.
        key_of: the key for a provider's name, or None.
        base_url_of: where a provider is reached, or None for its usual place.
        missing_key: a sentence on why a provider has no key, and what to do.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        key_of: Callable[[str], str | None],
        base_url_of: Callable[[str], str | None],
        missing_key: Callable[[str], str],
    ) -> None:
        self.catalogue = catalogue
        self._key_of = key_of
        self._base_url_of = base_url_of
        self._missing_key = missing_key
        self._demo = DemoProvider()
        self._made: dict[str, AnthropicProvider] = {}
        self._replaced: list[AnthropicProvider] = []

    def available(self, model: Model) -> bool:
        """Whether what the model needs is there: a key, or a service of one's own."""
        return model.api == "demo" or self._usable_key(model.provider) is not None

    def get(self, model: Model) -> Provider:
        """The provider of a model.

        Raises:
            AuthError: there is no key for it; says how to set one.
            ProviderError: it is not known where the service is.
        """
        if model.api == "demo":
            return self._demo
        key = self._usable_key(model.provider)
        if key is None:
            raise AuthError(self._missing_key(model.provider))
        base_url = self._base_url_of(model.provider)
        if base_url is None and model.provider != ANTHROPIC:
            raise ProviderError(
                f"It is not known where “{model.provider}” is reached: "
                f"set providers.{model.provider}.baseUrl in your settings."
            )
        return self._provider(model.provider, key, base_url)

    async def warm_up(self, model: Model) -> None:
        """Do ahead of the first request what asking this model would wait for."""
        try:
            provider = self.get(model)
            if isinstance(provider, AnthropicProvider):
                await provider.warm_up()
        except PiError as fault:
            log.info("%s", fault.message)  # whoever prompts is told

    async def close(self) -> None:
        """Let go of all connections."""
        for provider in (*self._made.values(), *self._replaced):
            await provider.close()
        self._made.clear()
        self._replaced.clear()

    def _usable_key(self, provider: str) -> str | None:
        key = self._key_of(provider)
        if key is None and provider != ANTHROPIC and self._base_url_of(provider) is not None:
            return _NO_KEY
        return key

    def _provider(self, name: str, key: str, base_url: str | None) -> AnthropicProvider:
        made = self._made.get(name)
        if made is not None and made.reached_with(key, base_url):
            return made
        if made is not None:
            self._replaced.append(made)  # a run may still be listening to it
        made = self._made[name] = AnthropicProvider(key, base_url, name=name)
        return made
