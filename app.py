"""The CDK app: one stack for the stage that `-c stage=local|dev|prod` names."""

from __future__ import annotations

import sys
from pathlib import Path

from aws_cdk import App, Tags, Validations
from cdk_nag import AwsSolutionsChecks

from cicada.knowledge_bases.file import load_knowledge_bases
from infra.acknowledgments import acknowledge
from infra.addresses import AddressError
from infra.context_values import ContextValueError, refuse_misspelt
from infra.federation import FederationError
from infra.model_choice import ModelNotOfferedError
from infra.settings import stage_settings
from infra.stacks.cicada_stack import CicadaStack


def build(app: App) -> CicadaStack:
    """The stage's stack, with the checks of every synth.

    Raises `ConfigurationError` for settings or schemas of knowledge bases that are wrong: the functions would refuse
    them only once they are deployed.
    """
    load_knowledge_bases()
    refuse_misspelt(app.node.get_all_context() or {})
    settings = stage_settings(app.node.try_get_context)
    stack = CicadaStack(app, settings.stack_name, settings=settings)
    Tags.of(stack).add("application", "cicada")
    Tags.of(stack).add("stage", settings.name)
    acknowledge(stack, settings)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return stack


def build_checked(app: App) -> CicadaStack:
    """The stage's stack; on AWS stages the synth fails for what AWS is known to refuse (the rules of cdk-preflight)."""
    stack = build(app)
    if app.node.try_get_context("stage") != "local":
        # Here only: the local stage starts sooner without the rules, which are about what the emulator does not have.
        from cdk_preflight import Preflight

        Preflight.apply(app)
    return stack


if __name__ == "__main__":
    app = App()
    try:
        build_checked(app)
    except (AddressError, ContextValueError, FederationError, ModelNotOfferedError) as error:
        sys.exit(str(error))
    assembly = app.synth()
    if app.node.try_get_context("stage") != "local":
        # Here only: the local stage starts sooner without it.
        from infra.bill_of_materials import write_bill

        write_bill(Path(assembly.directory))
