import type { ModuleDescriptor, ModuleRules } from '../descriptor/descriptor.js';

type Parameters = ModuleDescriptor['parameters'];

/** A module of the catalogue, with the literal types of its description. `rules` are not part of the type. */
export const module = <
  const F extends Omit<ModuleDescriptor, 'parameters' | keyof ModuleRules>,
  const P extends Parameters,
>(
  facts: F,
  parameters: P,
  rules: ModuleRules = {},
): F & { readonly parameters: P } => ({ ...facts, parameters, ...rules });
