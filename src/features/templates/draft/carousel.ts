import { checkButtons } from './buttons.js';
import { checkHeader, handleOf, showsFile } from './header.js';
import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { missingSample } from './samples.js';
import { brokenBodyRule } from './texts.js';

/** Limits of Meta's Cloud API ("Media card carousel templates", "Product card carousel templates"). */
const MIN_CARDS = 2;
const MAX_CARDS = 10;
const BODY_LIMIT = 160;
const FORMATS = ['IMAGE', 'VIDEO', 'PRODUCT'];
/** Shown in the rule of cards. */
const CARD =
  '{"components": [{"type": "HEADER", "format": "PRODUCT"}, {"type": "BUTTONS", "buttons": [{"type": "SPM", "text": "View"}]}]}';

/** Checks a carousel, whose cards are alike in what they are made of, and gives it Meta's form. */
export function checkCarousel(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const { cards: given = [] } = input;
  if (given.length < MIN_CARDS || given.length > MAX_CARDS) {
    report(`${path}.cards`, `must be an array of ${MIN_CARDS} to ${MAX_CARDS} cards, each such as ${CARD}`);
  }
  const cards = given.map((card, index) => {
    const at = `${path}.cards[${index}]`;
    const components = card.components.map((each, place) => checkPart(each, `${at}.components[${place}]`, report));
    const types = components.map(({ type }) => type);
    for (const [place, type] of types.entries()) {
      if (types.indexOf(type) < place) report(`${at}.components[${place}]`, `repeats the ${type}`);
    }
    if (!types.includes('HEADER')) report(`${at}.components`, 'must hold a HEADER');
    return { ...card, components };
  });
  const [first, ...others] = cards.map(({ components }) => shapeOf(components));
  for (const [index, shape] of others.entries()) {
    if (shape === first) continue;
    const rule = `must be made of the same parts as the first card: ${first}`;
    report(`${path}.cards[${index + 1}].components`, rule);
  }
  return { ...input, type: 'CAROUSEL', cards };
}

function checkPart(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const type = input.type.toUpperCase();
  if (type === 'HEADER') {
    const header = checkHeader(input, path, report, FORMATS);
    if (showsFile(header.format) && input.example === undefined) {
      report(`${path}.example`, 'must hold one handle, link or media id of a file: {"header_handle": ["…"]}');
    }
    return header;
  }
  if (type === 'BODY') {
    const rule = brokenBodyRule(input.text, BODY_LIMIT);
    const sample = () => missingSample('BODY', input.text, input.example ?? {});
    report(rule === null ? `${path}.example` : `${path}.text`, rule ?? sample());
    return { ...input, type };
  }
  if (type !== 'BUTTONS') report(`${path}.type`, 'must be HEADER, BODY or BUTTONS');
  else return { ...input, type, buttons: checkButtons(input.buttons ?? [], `${path}.buttons`, report, 'card') };
  return { ...input, type };
}

/** What a card is made of, in words. */
function shapeOf(components: readonly DraftComponent[]): string {
  const part = (type: string) => components.find((each) => each.type === type);
  const buttons = (part('BUTTONS')?.buttons ?? []) as ButtonInput[];
  const parts = [`HEADER ${part('HEADER')?.format}`, part('BODY') && 'BODY', ...buttons.map(({ type }) => type)];
  return parts.filter(Boolean).join(', ');
}

/** The headers of a template and of its cards that show a file, each with its path and what names its example. */
export function filesOf(
  components: readonly DraftComponent[],
  root = 'components',
): { path: string; header: DraftComponent; handle: string }[] {
  return components.flatMap((component, index) => {
    const path = `${root}[${index}]`;
    if (Array.isArray(component.cards)) {
      return (component.cards as { components: DraftComponent[] }[]).flatMap((card, at) =>
        filesOf(card.components, `${path}.cards[${at}].components`),
      );
    }
    const handle = component.type === 'HEADER' && showsFile(component.format) ? handleOf(component.example) : null;
    return handle === null ? [] : [{ path, header: component, handle }];
  });
}
