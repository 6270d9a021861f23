import type { ShownTemplate, TemplateComponent } from '../../../carriers/content.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isRecord, readComponents, type TemplateShape } from './components.js';
import { Renderer, type Sent } from './renderer.js';
import { mediaOf, shownOf } from './shown.js';

export interface RenderedTemplate {
  /** The text of the template's BODY with the parameters put in place; header, footer and buttons are not in it. */
  body: string;
  /** All that the recipient sees; left out of a template that has nothing but a body. */
  shown?: ShownTemplate;
  /** Missing, surplus and malformed parameters; empty when a carrier can be given the components as they are. */
  problems: FieldProblem[];
}

/** The most cards that a carousel of products shows, whatever its template has (Meta, "Product card carousel templates"). */
const MOST_CARDS = 10;

/** Sorts the components by the part of the template that they are for, and names those that are for none. */
function assign(shape: TemplateShape, sent: readonly TemplateComponent[], root: string, problems: FieldProblem[]) {
  const parts = new Map<string, Sent>();
  const known = ['header', 'body', 'button'];
  if (shape.cards) known.push('carousel');
  if (shape.offer) known.push('limited_time_offer');
  for (const [position, component] of sent.entries()) {
    const path = `${root}[${position}]`;
    const type = component.type.toLowerCase();
    const index = type === 'button' ? String(component.index ?? '') : '';
    if (type === 'button' && !(/^\d+$/.test(index) && Number(index) < shape.buttons.length)) {
      problems.push({ field: `${path}.index`, rule: `must be the index of one of the template's buttons` });
      continue;
    }
    if (!known.includes(type) && !shape.otherTypes.has(type)) {
      problems.push({ field: `${path}.type`, rule: `must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}` });
      continue;
    }
    const part = type === 'button' ? `button ${Number(index)}` : type;
    if (parts.has(part)) problems.push({ field: path, rule: `repeats the ${part}` });
    else parts.set(part, { path, component });
  }
  return parts;
}

/** Renders a template without its cards, or one card. */
function renderParts(shape: TemplateShape, parts: ReadonlyMap<string, Sent>, renderer: Renderer): ShownTemplate {
  const sentHeader = parts.get('header');
  const { header } = shape;
  let headerText = '';
  if (!header || header.format === 'TEXT') headerText = renderer.text('header', header?.text ?? '', sentHeader);
  else renderer.media(header.format, sentHeader);
  const body = renderer.text('body', shape.body, parts.get('body'));
  if (shape.offer) renderer.offer(shape.offer.expires, parts.get('limited_time_offer'));
  const urls = shape.buttons.map((button, index) =>
    renderer.button(button, index, parts.get(`button ${index}`), shape.offer !== null),
  );
  return shownOf(shape, { headerText, media: mediaOf(sentHeader), body, urls, parts });
}

/** Whether an entry of `cards` is one, as far as it is looked into. */
function isCard(card: unknown): card is { card_index: number; components: TemplateComponent[] } {
  return isRecord(card) && Number.isInteger(card.card_index) && Array.isArray(card.components);
}

/**
 * Renders the cards of a carousel in the order of their indexes. All that a template has must be sent; of products there
 * may be more, which look like the last one.
 */
function renderCards(
  cards: readonly TemplateShape[],
  sent: Sent | undefined,
  root: string,
  problems: FieldProblem[],
): ShownTemplate[] {
  if (!sent) {
    problems.push({ field: root, rule: "has no carousel component for the template's cards" });
    return [];
  }
  const given: unknown[] = Array.isArray(sent.component.cards) ? sent.component.cards : [];
  const isOfProducts = cards.every(({ header }) => header?.format === 'PRODUCT');
  const most = isOfProducts ? MOST_CARDS : cards.length;
  const found = new Map<number, ShownTemplate>();
  for (const [place, card] of given.entries()) {
    const path = `${sent.path}.cards[${place}]`;
    const shape = isCard(card) && card.card_index < most ? (cards[card.card_index] ?? cards.at(-1)) : undefined;
    if (!isCard(card) || card.card_index < 0 || !shape) {
      problems.push({ field: `${path}.card_index`, rule: `must be an integer from 0 to ${most - 1}` });
    } else if (found.has(card.card_index)) {
      problems.push({ field: `${path}.card_index`, rule: `repeats the card ${card.card_index}` });
    } else {
      const renderer = new Renderer(path, `card ${card.card_index}`);
      const parts = assign(shape, card.components, `${path}.components`, renderer.problems);
      found.set(card.card_index, renderParts(shape, parts, renderer));
      problems.push(...renderer.problems);
    }
  }
  const needed = Math.max(cards.length, ...[...found.keys()].map((index) => index + 1));
  for (let index = 0; index < needed; index += 1) {
    if (found.has(index)) continue;
    problems.push({ field: `${sent.path}.cards`, rule: `has no card ${index} of the template's carousel` });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, card]) => card);
}

/**
 * Renders a template as its recipient reads it, and checks that the components hold each of its parameters and no other.
 * Numbered placeholders (`{{1}}`) take the parameters in order, named ones (`{{first_name}}`) by `parameter_name`.
 * @param template Meta's components as stored: `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS"|…, ...}]`
 * @param sent components of the request: `[{type: "header"|"body"|"button"|…, sub_type?, index?, parameters}]`
 * @param root path of `sent` in the request, with which the fields of the problems begin
 */
export function renderTemplate(
  template: unknown,
  sent: readonly TemplateComponent[],
  root = 'components',
): RenderedTemplate {
  const shape = readComponents(template);
  const renderer = new Renderer(root, 'the template');
  const { problems } = renderer;
  const parts = assign(shape, sent, root, problems);
  const shown = renderParts(shape, parts, renderer);
  if (shape.cards) shown.cards = renderCards(shape.cards, parts.get('carousel'), root, problems);
  const hasMore = Object.keys(shown).some((part) => part !== 'body');
  return { body: shown.body, ...(hasMore && { shown }), problems };
}
