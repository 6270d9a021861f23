import { isPosition, placeholderKeys } from '../../../carriers/template-placeholders.js';
import type { TemplateDraft } from '../../../carriers/templates.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { authenticationPart, type DraftPart } from './authentication.js';
import { checkButtons } from './buttons.js';
import { checkCarousel } from './carousel.js';
import { checkHeader } from './header.js';
import type { DraftComponent, DraftComponentInput, DraftInput, Report } from './input.js';
import { isTemplateLanguage } from './languages.js';
import { checkBesideOffer, checkOffer, OFFER_BODY_LIMIT } from './offer.js';
import { missingSample, withSamples } from './samples.js';
import { brokenBodyRule, brokenLineRule, oneOf } from './texts.js';

/** A draft that obeys every rule. */
export interface CheckedDraft extends TemplateDraft {
  components: readonly DraftComponent[];
  /** The components as the channel holds them, in whose texts parameters are filled. */
  held: readonly DraftComponent[];
}

/** Limits of Meta's Cloud API ("Template components"), in characters. */
const BODY_LIMIT = 1024;
const FOOTER_LIMIT = 60;

const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL', 'CALL_PERMISSION_REQUEST'];
/** What only templates of marketing have, as component or button. */
const OF_MARKETING = ['LIMITED_TIME_OFFER', 'CAROUSEL', 'CATALOG', 'MPM', 'SPM'];

/**
 * Checks a draft by the rules of Meta's Cloud API and gives it Meta's form, types in upper case. What is not known here is
 * the carrier's to take or refuse.
 * @throws {AppError} INVALID_REQUEST with every field that breaks a rule
 */
export function checkDraft({ name, language, category, components }: DraftInput): CheckedDraft {
  const problems: { field: string; rule: string }[] = [];
  const report: Report = (field, rule) => {
    if (rule !== null) problems.push({ field, rule });
  };
  if (!isTemplateLanguage(language)) report('language', "must be one of Meta's codes, such as en_US, de or pt_BR");
  const isOffer = components.some(({ type }) => type.toUpperCase() === 'LIMITED_TIME_OFFER');
  const bodyLimit = isOffer ? OFFER_BODY_LIMIT : BODY_LIMIT;
  const parts = components.map((component, index): DraftPart => {
    const path = `components[${index}]`;
    if (category === 'AUTHENTICATION') return authenticationPart(component, path, report);
    const held = checkPart(component, path, report, bodyLimit);
    return { handedIn: withSamples(held), held };
  });
  const held = parts.map((part) => part.held);
  checkTogether(held, category, report);
  if (problems.length > 0) throw invalidFields(problems);
  return { name, language, category, components: parts.map((part) => part.handedIn), held };
}

function checkPart(input: DraftComponentInput, path: string, report: Report, bodyLimit: number): DraftComponent {
  const type = input.type.toUpperCase();
  const { text } = input;
  switch (type) {
    case 'HEADER':
      return checkHeader(input, path, report);
    case 'BODY': {
      const rule = brokenBodyRule(text, bodyLimit);
      report(
        rule === null ? `${path}.example` : `${path}.text`,
        rule ?? missingSample('BODY', text, input.example ?? {}),
      );
      return { ...input, type };
    }
    case 'FOOTER':
      report(`${path}.text`, brokenLineRule(text, FOOTER_LIMIT, 0));
      return { ...input, type };
    case 'BUTTONS':
      return { ...input, type, buttons: checkButtons(input.buttons ?? [], `${path}.buttons`, report) };
    case 'LIMITED_TIME_OFFER':
      return checkOffer(input, path, report);
    case 'CAROUSEL':
      return checkCarousel(input, path, report);
    default:
      if (!TYPES.includes(type)) report(`${path}.type`, `must be ${oneOf(TYPES)}`);
      return { ...input, type };
  }
}

/** The rules of what stands beside one another. */
function checkTogether(held: readonly DraftComponent[], category: string, report: Report): void {
  const types = held.map(({ type }) => type);
  for (const [index, type] of types.entries()) {
    if (types.indexOf(type) < index) report(`components[${index}]`, `repeats the ${type}`);
    if (types.includes('CAROUSEL') && type !== 'CAROUSEL' && type !== 'BODY') {
      report(`components[${index}]`, 'must not stand beside a CAROUSEL');
    }
    if (category !== 'MARKETING' && OF_MARKETING.includes(type)) {
      report('category', `must be MARKETING, for components[${index}] is a ${type}`);
    }
  }
  const buttons = held.flatMap(({ buttons: made = [] }) => made as { type: string }[]);
  const sold = category === 'MARKETING' ? undefined : buttons.find(({ type }) => OF_MARKETING.includes(type));
  if (sold) report('category', `must be MARKETING, for a button is of the type ${sold.type}`);
  if (!types.includes('BODY')) report('components', 'must hold a BODY');
  if (category === 'AUTHENTICATION') {
    if (!types.includes('BUTTONS')) report('components', 'must hold BUTTONS in the category AUTHENTICATION');
    return;
  }
  checkBesideOffer(held, report);
  checkNaming(held, report);
}

/** Meta is told once for a whole template whether its parameters have names ("parameter_format"). */
function checkNaming(held: readonly DraftComponent[], report: Report): void {
  const found = textsOf(held).flatMap(({ path, text }) => {
    const [key] = placeholderKeys(text);
    return key === undefined ? [] : [{ path, isNumbered: isPosition(key) }];
  });
  const [first] = found;
  const other = found.find(({ isNumbered }) => isNumbered !== first?.isNumbered);
  if (other) report(other.path, 'must number or name its parameters as the other texts of the template do');
}

function textsOf(components: readonly DraftComponent[], root = 'components'): { path: string; text: string }[] {
  return components.flatMap(({ text, cards }, index) => {
    const path = `${root}[${index}]`;
    if (typeof text === 'string') return [{ path: `${path}.text`, text }];
    if (!Array.isArray(cards)) return [];
    return (cards as { components: DraftComponent[] }[]).flatMap((card, at) =>
      textsOf(card.components, `${path}.cards[${at}].components`),
    );
  });
}
