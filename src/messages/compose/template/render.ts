import type { ShownTemplate, TemplateComponent } from '../../../carriers/content.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isRecord, readComponents, type TemplateShape } from './components.js';
import { Renderer, type SentComponent } from './renderer.js';
import { buildShownTemplate, readHeaderMedia } from './shown-template.js';

export interface RenderedTemplate {
  body: string;
  /** Texts and buttons that the recipient sees, omitted for a template that has only a body. */
  shown?: ShownTemplate;
  problems: FieldProblem[];
}

/** Limit from Meta's documentation, "Product card carousel templates". */
const MAX_CARDS = 10;

function assignComponents(
  shape: TemplateShape,
  sent: readonly TemplateComponent[],
  root: string,
  problems: FieldProblem[],
) {
  const parts = new Map<string, SentComponent>();
  const types = ['header', 'body', 'button'];
  if (shape.cards) types.push('carousel');
  if (shape.offer) types.push('limited_time_offer');
  for (const [position, component] of sent.entries()) {
    const path = `${root}[${position}]`;
    const type = component.type.toLowerCase();
    const index = type === 'button' ? String(component.index ?? '') : '';
    if (type === 'button' && !(/^\d+$/.test(index) && Number(index) < shape.buttons.length)) {
      problems.push({ field: `${path}.index`, rule: `must be the index of one of the template's buttons` });
      continue;
    }
    if (!types.includes(type) && !shape.otherTypes.has(type)) {
      problems.push({ field: `${path}.type`, rule: `must be ${types.slice(0, -1).join(', ')} or ${types.at(-1)}` });
      continue;
    }
    const part = type === 'button' ? `button ${Number(index)}` : type;
    if (parts.has(part)) problems.push({ field: path, rule: `repeats the ${part}` });
    else parts.set(part, { path, component });
  }
  return parts;
}

function renderParts(
  shape: TemplateShape,
  parts: ReadonlyMap<string, SentComponent>,
  renderer: Renderer,
): ShownTemplate {
  const sentHeader = parts.get('header');
  const { header } = shape;
  let headerText = '';
  if (!header || header.format === 'TEXT') headerText = renderer.renderText('header', header?.text ?? '', sentHeader);
  else renderer.checkHeaderMedia(header.format, sentHeader);
  const body = renderer.renderText('body', shape.body, parts.get('body'));
  if (shape.offer) renderer.checkOffer(shape.offer.expires, parts.get('limited_time_offer'));
  const urls = shape.buttons.map((button, index) =>
    renderer.renderButton(button, index, parts.get(`button ${index}`), shape.offer !== null),
  );
  return buildShownTemplate(shape, { headerText, media: readHeaderMedia(sentHeader), body, urls, parts });
}

function isCard(card: unknown): card is { card_index: number; components: TemplateComponent[] } {
  return isRecord(card) && Number.isInteger(card.card_index) && Array.isArray(card.components);
}

/** Requires all cards of the template, and renders extra product cards like the last card. */
function renderCards(
  cards: readonly TemplateShape[],
  sent: SentComponent | undefined,
  root: string,
  problems: FieldProblem[],
): ShownTemplate[] {
  if (!sent) {
    problems.push({
      field: root,
      rule: "has no carousel component for the template's cards",
      kind: 'missing-parameter',
    });
    return [];
  }
  const cardInputs: unknown[] = Array.isArray(sent.component.cards) ? sent.component.cards : [];
  const hasProducts = cards.every(({ header }) => header?.format === 'PRODUCT');
  const maxCards = hasProducts ? MAX_CARDS : cards.length;
  const rendered = new Map<number, ShownTemplate>();
  for (const [position, card] of cardInputs.entries()) {
    const path = `${sent.path}.cards[${position}]`;
    const shape = isCard(card) && card.card_index < maxCards ? (cards[card.card_index] ?? cards.at(-1)) : undefined;
    if (!isCard(card) || card.card_index < 0 || !shape) {
      problems.push({ field: `${path}.card_index`, rule: `must be an integer from 0 to ${maxCards - 1}` });
    } else if (rendered.has(card.card_index)) {
      problems.push({ field: `${path}.card_index`, rule: `repeats the card ${card.card_index}` });
    } else {
      const renderer = new Renderer(path, `card ${card.card_index}`);
      const parts = assignComponents(shape, card.components, `${path}.components`, renderer.problems);
      rendered.set(card.card_index, renderParts(shape, parts, renderer));
      problems.push(...renderer.problems);
    }
  }
  const requiredCards = Math.max(cards.length, ...[...rendered.keys()].map((index) => index + 1));
  for (let index = 0; index < requiredCards; index += 1) {
    if (rendered.has(index)) continue;
    const rule = `has no card ${index} of the template's carousel`;
    problems.push({ field: `${sent.path}.cards`, rule, kind: 'missing-parameter' });
  }
  return [...rendered].sort(([a], [b]) => a - b).map(([, card]) => card);
}

/**
 * Numbered placeholders (`{{1}}`) use the parameters in order, and named placeholders (`{{first_name}}`) use the matching
 * `parameter_name`.
 * @param template Meta's components as stored: `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS"|…, ...}]`
 * @param sent components of the request: `[{type: "header"|"body"|"button"|…, sub_type?, index?, parameters}]`
 * @param root path of `sent` in the request, used in problems
 */
export function renderTemplate(
  template: unknown,
  sent: readonly TemplateComponent[],
  root = 'components',
): RenderedTemplate {
  const shape = readComponents(template);
  const renderer = new Renderer(root, 'the template');
  const { problems } = renderer;
  const parts = assignComponents(shape, sent, root, problems);
  const visible = renderParts(shape, parts, renderer);
  if (shape.cards) visible.cards = renderCards(shape.cards, parts.get('carousel'), root, problems);
  const hasMoreParts = Object.keys(visible).some((part) => part !== 'body');
  return { body: visible.body, ...(hasMoreParts && { shown: visible }), problems };
}
