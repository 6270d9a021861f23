import { checkButtons } from './buttons.js';
import { checkHeader, hasFile, readExampleReference } from './header.js';
import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { findSampleProblem } from './samples.js';
import { findBrokenBodyRule } from './texts.js';

/** Limits of Meta's Cloud API ("Media card carousel templates", "Product card carousel templates"). */
const MIN_CARDS = 2;
const MAX_CARDS = 10;
const BODY_LIMIT = 160;
const FORMATS = ['IMAGE', 'VIDEO', 'PRODUCT'];
/** For error messages. */
const CARD_EXAMPLE =
  '{"components": [{"type": "HEADER", "format": "PRODUCT"}, {"type": "BUTTONS", "buttons": [{"type": "SPM", "text": "View"}]}]}';

export function checkCarousel(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const { cards: inputs = [] } = input;
  if (inputs.length < MIN_CARDS || inputs.length > MAX_CARDS) {
    report(`${path}.cards`, `must be an array of ${MIN_CARDS} to ${MAX_CARDS} cards, each such as ${CARD_EXAMPLE}`);
  }
  const cards = inputs.map((card, index) => {
    const cardPath = `${path}.cards[${index}]`;
    const components = card.components.map((each, position) =>
      checkPart(each, `${cardPath}.components[${position}]`, report),
    );
    const types = components.map(({ type }) => type);
    for (const [position, type] of types.entries()) {
      if (types.indexOf(type) < position) report(`${cardPath}.components[${position}]`, `repeats the ${type}`);
    }
    if (!types.includes('HEADER')) report(`${cardPath}.components`, 'must contain a HEADER');
    return { ...card, components };
  });
  const [firstStructure, ...otherStructures] = cards.map(({ components }) => describeStructure(components));
  for (const [index, structure] of otherStructures.entries()) {
    if (structure === firstStructure) continue;
    const rule = `must have the same structure as the first card: ${firstStructure}`;
    report(`${path}.cards[${index + 1}].components`, rule);
  }
  return { ...input, type: 'CAROUSEL', cards };
}

function checkPart(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const type = input.type.toUpperCase();
  if (type === 'HEADER') {
    const header = checkHeader(input, path, report, FORMATS);
    if (hasFile(header.format) && input.example === undefined) {
      report(`${path}.example`, 'must contain one handle, link or media id of a file: {"header_handle": ["…"]}');
    }
    return header;
  }
  if (type === 'BODY') {
    const rule = findBrokenBodyRule(input.text, BODY_LIMIT);
    const sample = () => findSampleProblem('BODY', input.text, input.example ?? {});
    report(rule === null ? `${path}.example` : `${path}.text`, rule ?? sample());
    return { ...input, type };
  }
  if (type !== 'BUTTONS') report(`${path}.type`, 'must be HEADER, BODY or BUTTONS');
  else return { ...input, type, buttons: checkButtons(input.buttons ?? [], `${path}.buttons`, report, 'card') };
  return { ...input, type };
}

function describeStructure(components: readonly DraftComponent[]): string {
  const findPart = (type: string) => components.find((each) => each.type === type);
  const buttons = (findPart('BUTTONS')?.buttons ?? []) as ButtonInput[];
  const parts = [
    `HEADER ${findPart('HEADER')?.format}`,
    findPart('BODY') && 'BODY',
    ...buttons.map(({ type }) => type),
  ];
  return parts.filter(Boolean).join(', ');
}

/** Includes headers of cards. */
export function listFileHeaders(
  components: readonly DraftComponent[],
  root = 'components',
): { path: string; header: DraftComponent; handle: string }[] {
  return components.flatMap((component, index) => {
    const path = `${root}[${index}]`;
    if (Array.isArray(component.cards)) {
      return (component.cards as { components: DraftComponent[] }[]).flatMap((card, cardIndex) =>
        listFileHeaders(card.components, `${path}.cards[${cardIndex}].components`),
      );
    }
    const handle =
      component.type === 'HEADER' && hasFile(component.format) ? readExampleReference(component.example) : null;
    return handle === null ? [] : [{ path, header: component, handle }];
  });
}
