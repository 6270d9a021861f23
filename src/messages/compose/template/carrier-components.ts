import type { TemplateComponent } from '../../../carriers/content.js';
import { withDocumentNames } from '../document-filename.js';
import { isRecord, readComponents, type TemplateShape } from './components.js';

/** Buttons whose component may have no parameters. */
const MAY_BE_BARE: ReadonlySet<string> = new Set(['FLOW', 'CATALOG']);

/**
 * The components of a request as Meta takes them:
 * - A button that begins a Flow has a component although it may have no parameters: Meta refuses the message without it (131009).
 * - Any other button component without parameters is left out. It says nothing, and Meta refuses some (132018).
 * - Documents that are named by a link have a file name.
 * @param template Meta's components as stored
 * @param sent of a request that `renderTemplate` finds no problems in
 */
export function carrierComponents(template: unknown, sent: readonly TemplateComponent[]): TemplateComponent[] {
  return withDocumentNames(componentsFor(readComponents(template), sent));
}

function componentsFor(shape: TemplateShape, sent: readonly TemplateComponent[]): TemplateComponent[] {
  const isButton = ({ type }: TemplateComponent) => type.toLowerCase() === 'button';
  const given = sent.flatMap((component): TemplateComponent | [] => {
    const { parameters = [], ...bare } = component;
    const type = isButton(component) ? shape.buttons[Number(component.index)]?.type : undefined;
    if (type === undefined || parameters.length > 0) return withCards(shape, component);
    return MAY_BE_BARE.has(type) ? bare : [];
  });
  const named = new Set(sent.filter(isButton).map(({ index }) => Number(index)));
  const missing = shape.buttons.flatMap(({ type }, index) =>
    type === 'FLOW' && !named.has(index) ? [{ type: 'button', sub_type: 'flow', index: String(index) }] : [],
  );
  return [...given, ...missing];
}

/** Applies the same to the buttons of each card of a carousel. */
function withCards(shape: TemplateShape, component: TemplateComponent): TemplateComponent {
  const { cards } = component;
  const shapes = shape.cards;
  if (component.type.toLowerCase() !== 'carousel' || !shapes || !Array.isArray(cards)) return component;
  return {
    ...component,
    cards: cards.map((card: unknown) => {
      if (!isRecord(card) || !Array.isArray(card.components)) return card;
      const own = shapes[Number(card.card_index)] ?? shapes.at(-1);
      return own ? { ...card, components: componentsFor(own, card.components as TemplateComponent[]) } : card;
    }),
  };
}
