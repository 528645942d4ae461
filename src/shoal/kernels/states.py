"""Numba types for states: named tuples of arrays, as kernels take them.

A state is passed from kernel to kernel by its address. Its arrays are borrowed from the Python caller, which holds
them during the call. By default Numba passes every field of every array as a separate argument and counts references
to all of them, in each kernel: wide states then compile and run slowly.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.typing.typeof import Purpose, typeof


class State(types.NamedTuple):
    """The type of a named tuple argument of a kernel."""

    def __init__(self, members: Any, cls: type) -> None:
        super().__init__(members, cls)
        self.name = f"State({self.name})"


def state_of(value: Any) -> Any:
    """The type of a kernel argument; of a named tuple a state."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return State([state_of(each) for each in value], type(value))
    return typeof(value, Purpose.argument)


@register_default(State)
class StateModel(models.PrimitiveModel):
    """The address of the members, in order."""

    def __init__(self, manager: Any, state: State) -> None:
        members = [manager.lookup(member).get_value_type() for member in state]
        super().__init__(manager, state, ir.LiteralStructType(members).as_pointer())


@lower_getattr_generic(State)
def get_member(context: Any, builder: Any, state: State, value: Any, name: str) -> Any:
    """A member by name."""
    return _load(context, builder, state, value, state.fields.index(name))


@lower_builtin("static_getitem", State, types.IntegerLiteral)
@lower_builtin("static_getitem", State, types.Integer)
def get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """A member by position, as when a state is unpacked."""
    return _load(context, builder, signature.args[0], *arguments)


def _load(context: Any, builder: Any, state: State, value: Any, index: int) -> Any:
    """Load a member.

    Nothing writes to a state while a kernel has its address, so a loaded member stays the same, whatever is written to
    arrays meanwhile. Without this metadata the compiler would load the addresses of arrays again and again.
    """
    member = builder.load(cgutils.gep_inbounds(builder, value, 0, index))
    member.set_metadata("invariant.load", builder.module.add_metadata([]))
    return impl_ret_borrowed(context, builder, state.types[index], member)


@unbox(State)
def unbox_state(state: State, value: Any, context: Any) -> Any:
    """The address of the members; their references are released after the call."""
    builder, members = context.builder, []
    address = cgutils.alloca_once(builder, context.context.get_value_type(state).pointee)
    failed = cgutils.false_bit
    for i, member in enumerate(state.types):
        native = context.unbox(member, context.pyapi.tuple_getitem(value, i))
        builder.store(native.value, cgutils.gep_inbounds(builder, address, 0, i))
        failed = builder.or_(failed, native.is_error)
        members.append((member, native))

    # from here on nothing writes to the members, and the compiler must not know where they came from (`_load`)
    function_type = ir.FunctionType(address.type, [address.type])
    opaque = builder.asm(function_type, "", "=r,0,~{memory}", [address], side_effect=True)

    def cleanup() -> None:
        for member, native in reversed(members):
            if native.cleanup is not None:
                native.cleanup()
            context.context.nrt.decref(builder, member, native.value)

    return NativeValue(opaque, is_error=failed, cleanup=cleanup)
