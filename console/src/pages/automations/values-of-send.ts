import type { StepDraft } from '../../api/automations.js';
import { componentsOfSend, type Slot } from '../../parts/templates/template-parts.js';

/** The values of a template's slots in the components of a stored send: `componentsOfSend` the other way round. */
export function valuesOfSend(
  slots: readonly Slot[],
  components: NonNullable<StepDraft['components']>,
): Record<string, string> {
  const values: Record<string, string> = {};
  // A send in which each value is the id of its slot shows where the values stand.
  const marked = componentsOfSend(slots, Object.fromEntries(slots.map(({ id }) => [id, id])));
  for (const { type, index, parameters = [] } of marked) {
    const sent = components.find(
      (each) => each.type.toLowerCase() === type && String(each.index ?? '') === String(index ?? ''),
    );
    for (const [at, parameter] of parameters.entries()) {
      const [slot, value] = [textOf(parameter), textOf(sent?.parameters?.[at])];
      if (slot !== undefined && value !== undefined) values[slot] = value;
    }
  }
  return values;
}

/** What a parameter holds: a text, a code, or the link of a medium. */
function textOf(parameter: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (!parameter) return undefined;
  const { type, text, coupon_code: code } = parameter;
  const medium = parameter[String(type)] as { link?: unknown } | undefined;
  const value = text ?? code ?? medium?.link;
  return typeof value === 'string' ? value : undefined;
}
