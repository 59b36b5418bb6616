"""Self-recursion in kernels without its price.

Numba infers the types of a function that calls itself by running inference again at every such call: a search
with nine of them takes 15 seconds to type, and a literal argument makes its cached form crash in the next
process. A call that is an intrinsic of known type has neither trouble, on one condition: whoever calls the
kernel from outside must pass no literals, since they would compile a form of it that takes the literal for
granted (use typed constants such as ``np.int64(0)``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import types
from numba.core import cgutils, config, sigutils
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["self_call"]


def self_call(shape: int | str, function: Callable[[], Callable[..., int]]) -> Callable[..., int]:
    """A callable that, used in a kernel, calls that kernel itself.

    Args:
        shape: the kernel's signature, such as ``int64(int64, uint64)``; or the number of its arguments when those and
            the result are all int64.
        function: gives the kernel, for interpreted runs (``NUMBA_DISABLE_JIT=1``) only.
    """
    if config.DISABLE_JIT:
        return lambda *arguments: function()(*arguments)

    if isinstance(shape, str):
        parameters, result = sigutils.normalize_signature(shape)
        signature = result(*parameters)
    else:
        signature = types.int64(*[types.int64] * shape)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        status, result = context.call_conv.call_function(
            builder, builder.function, signature.return_type, signature.args, arguments
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    names = [f"argument{number}" for number in range(len(signature.args))]
    scope: dict[str, Any] = {"signature": signature, "codegen": codegen}
    # numba checks the arguments of an intrinsic by name, so it needs a definition with just so many
    exec(f"def call(typingctx, {', '.join(names)}): return signature, codegen", scope)
    call: Callable[..., int] = intrinsic(scope["call"])
    return call
