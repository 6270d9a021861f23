import type { TemplateComponent } from '../../../carriers/content.js';

/**
 * The components of a request as they go on to the carrier: whole, for it may know fields that are not known here. Fields
 * of a component and of a parameter that are null count as absent.
 */
export function givenComponents(components: readonly TemplateComponent[]): TemplateComponent[] {
  return components.map((component) => {
    const { parameters, cards } = component;
    return withoutNulls({
      ...component,
      ...(parameters && { parameters: parameters.map(withoutNulls) }),
      ...(Array.isArray(cards) && { cards: cards.map(givenCard) }),
    });
  });
}

function givenCard(card: { components?: TemplateComponent[] }) {
  return { ...card, ...(card.components && { components: givenComponents(card.components) }) };
}

function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) as T;
}
