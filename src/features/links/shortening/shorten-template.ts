import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';
import { isRecord, readComponents, type TemplateShape } from '../../../messages/compose/template/components.js';
import { findCode, type Shortener, type ShortLink, shortenText } from './shorten-text.js';

export interface ShortenedComponents {
  components: TemplateComponent[];
  links: readonly ShortLink[];
}

/**
 * Shortens links in the parameters of a template's header and body. WhatsApp adds the parameter of a URL button to a fixed URL,
 * so a button is shortened only if its URL in the template is the base of short links and a placeholder. Its parameter, which
 * must be a complete URL, then becomes the code.
 * @param template Meta's components as stored
 * @param sent components with all placeholders filled in
 */
export function shortenComponents(
  template: unknown,
  sent: readonly TemplateComponent[],
  shortener: Shortener,
): ShortenedComponents {
  const links: ShortLink[] = [];
  const shortenAll = (shape: TemplateShape, components: readonly TemplateComponent[]): TemplateComponent[] =>
    components.map((component) => {
      const { parameters, cards } = component;
      const shapes = shape.cards;
      return {
        ...component,
        ...(parameters && { parameters: parameters.map((each) => shortenParameter(shape, component, each)) }),
        ...(shapes && Array.isArray(cards) && { cards: cards.map((card) => shortenCard(shapes, card)) }),
      };
    });
  const shortenCard = (shapes: readonly TemplateShape[], card: unknown): unknown => {
    if (!isRecord(card) || !Array.isArray(card.components)) return card;
    const shape = shapes[Number(card.card_index)] ?? shapes.at(-1);
    return shape ? { ...card, components: shortenAll(shape, card.components as TemplateComponent[]) } : card;
  };
  const shortenParameter = (
    shape: TemplateShape,
    component: TemplateComponent,
    parameter: TemplateParameter,
  ): TemplateParameter => {
    const { type, text } = parameter;
    if (type !== 'text' || typeof text !== 'string') return parameter;
    if (component.type.toLowerCase() === 'button') {
      const button = shape.buttons[Number(component.index)];
      const isShort = button?.type === 'URL' && button.url.startsWith(`${shortener.base}{{`);
      const code = isShort ? findCode(text, shortener, links) : null;
      return code === null ? parameter : { ...parameter, text: code };
    }
    const shortened = shortenText(text, shortener, links);
    links.push(...shortened.links.slice(links.length));
    return { ...parameter, text: shortened.text };
  };
  return { components: shortenAll(readComponents(template), sent), links };
}
