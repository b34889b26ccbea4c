"""Models behind the Anthropic Messages API, through Anthropic's own SDK.

`provider.py` asks and listens; `request.py` makes a valid request of any conversation;
`pictures.py` decides which images may go with it; `stream.py` reads the events of an answer;
`faults.py` puts what goes wrong into words. The SDK takes about a second to import, so it is
imported in `sdk.py` only, when first needed or by `warm_up()` in the background.
"""
