import type { TemplateComponent } from '../../../carriers/content.js';

/** Keeps unknown fields, because the carrier may know them. */
export function withoutNullFields(components: readonly TemplateComponent[]): TemplateComponent[] {
  return components.map((component) => {
    const { parameters, cards } = component;
    return withoutNulls({
      ...component,
      ...(parameters && { parameters: parameters.map(withoutNulls) }),
      ...(Array.isArray(cards) && { cards: cards.map(cardWithoutNulls) }),
    });
  });
}

function cardWithoutNulls(card: { components?: TemplateComponent[] }) {
  return { ...card, ...(card.components && { components: withoutNullFields(card.components) }) };
}

function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) as T;
}
