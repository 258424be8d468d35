"""A guardrail that takes one word amiss: its id."""

from collections.abc import Iterator

from local.bedrock.conversation import ConverseRequest, Finish, Model, Part, Text

BLOCKED = "The guardrail does not let this through."


class GuardedModel:
    """A model whose requests may name a guardrail. What its id stands in, of the message or the reply, is blocked."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def reply(self, request: ConverseRequest) -> Iterator[Part]:
        word, said = request.guardrail.casefold(), request.messages[-1].text.casefold()
        if not word:
            yield from self._model.reply(request)
            return
        parts = self._model.reply(request)
        while word not in said:
            part = next(parts, None)
            if part is None:
                return
            said += part.text.casefold() if isinstance(part, Text) else ""
            if word not in said:
                yield part
        yield from (Text(BLOCKED), Finish("guardrail_intervened"))
