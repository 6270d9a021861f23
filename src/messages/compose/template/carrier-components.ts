import type { TemplateComponent } from '../../../carriers/content.js';
import { withDocumentNames } from '../document-filename.js';
import { isRecord, readComponents, type TemplateShape } from './components.js';

const MAY_LACK_PARAMETERS: ReadonlySet<string> = new Set(['FLOW', 'CATALOG']);

/**
 * A Flow button gets a component even without parameters, because Meta refuses the message if the component is missing
 * (131009). Components of other buttons are removed if they have no parameters (132018).
 * @param template Meta's components as stored
 * @param sent components in which `renderTemplate` found no problems
 */
export function toCarrierComponents(template: unknown, sent: readonly TemplateComponent[]): TemplateComponent[] {
  return withDocumentNames(adaptComponents(readComponents(template), sent));
}

function adaptComponents(shape: TemplateShape, sent: readonly TemplateComponent[]): TemplateComponent[] {
  const isButton = ({ type }: TemplateComponent) => type.toLowerCase() === 'button';
  const adapted = sent.flatMap((component): TemplateComponent | [] => {
    const { parameters = [], ...bare } = component;
    const type = isButton(component) ? shape.buttons[Number(component.index)]?.type : undefined;
    if (type === undefined || parameters.length > 0) return adaptCards(shape, component);
    return MAY_LACK_PARAMETERS.has(type) ? bare : [];
  });
  const sentIndexes = new Set(sent.filter(isButton).map(({ index }) => Number(index)));
  const missing = shape.buttons.flatMap(({ type }, index) =>
    type === 'FLOW' && !sentIndexes.has(index) ? [{ type: 'button', sub_type: 'flow', index: String(index) }] : [],
  );
  return [...adapted, ...missing];
}

function adaptCards(shape: TemplateShape, component: TemplateComponent): TemplateComponent {
  const { cards } = component;
  const shapes = shape.cards;
  if (component.type.toLowerCase() !== 'carousel' || !shapes || !Array.isArray(cards)) return component;
  return {
    ...component,
    cards: cards.map((card: unknown) => {
      if (!isRecord(card) || !Array.isArray(card.components)) return card;
      const cardShape = shapes[Number(card.card_index)] ?? shapes.at(-1);
      return cardShape
        ? { ...card, components: adaptComponents(cardShape, card.components as TemplateComponent[]) }
        : card;
    }),
  };
}
