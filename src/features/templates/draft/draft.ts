import { isPositionKey, listPlaceholderKeys } from '../../../carriers/template-placeholders.js';
import type { TemplateDraft } from '../../../carriers/templates.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { buildAuthenticationPart, type DraftPart } from './authentication.js';
import { checkButtons } from './buttons.js';
import { checkCarousel } from './carousel.js';
import { checkHeader } from './header.js';
import type { DraftComponent, DraftComponentInput, DraftInput, Report } from './input.js';
import { isTemplateLanguage } from './languages.js';
import { checkOffer, checkOfferCombination, OFFER_BODY_LIMIT } from './offer.js';
import { addSamples, findSampleProblem } from './samples.js';
import { findBrokenBodyRule, findBrokenLineRule, joinWithOr } from './texts.js';

export interface CheckedDraft extends TemplateDraft {
  components: readonly DraftComponent[];
  stored: readonly DraftComponent[];
}

/** Limits of Meta's Cloud API ("Template components"), in characters. */
const BODY_LIMIT = 1024;
const FOOTER_LIMIT = 60;

const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'LIMITED_TIME_OFFER', 'CAROUSEL', 'CALL_PERMISSION_REQUEST'];
const MARKETING_ONLY = ['LIMITED_TIME_OFFER', 'CAROUSEL', 'CATALOG', 'MPM', 'SPM'];

/**
 * Validates a draft and converts it to Meta's format. Unknown fields are passed to the carrier unchanged.
 * @throws {AppError} INVALID_REQUEST naming every invalid field
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
    if (category === 'AUTHENTICATION') return buildAuthenticationPart(component, path, report);
    const stored = checkPart(component, path, report, bodyLimit);
    return { submitted: addSamples(stored), stored };
  });
  const stored = parts.map((part) => part.stored);
  checkCombination(stored, category, report);
  if (problems.length > 0) throw invalidFields(problems);
  return { name, language, category, components: parts.map((part) => part.submitted), stored };
}

function checkPart(input: DraftComponentInput, path: string, report: Report, bodyLimit: number): DraftComponent {
  const type = input.type.toUpperCase();
  const { text } = input;
  switch (type) {
    case 'HEADER':
      return checkHeader(input, path, report);
    case 'BODY': {
      const rule = findBrokenBodyRule(text, bodyLimit);
      report(
        rule === null ? `${path}.example` : `${path}.text`,
        rule ?? findSampleProblem('BODY', text, input.example ?? {}),
      );
      return { ...input, type };
    }
    case 'FOOTER':
      report(`${path}.text`, findBrokenLineRule(text, FOOTER_LIMIT, 0));
      return { ...input, type };
    case 'BUTTONS':
      return { ...input, type, buttons: checkButtons(input.buttons ?? [], `${path}.buttons`, report) };
    case 'LIMITED_TIME_OFFER':
      return checkOffer(input, path, report);
    case 'CAROUSEL':
      return checkCarousel(input, path, report);
    default:
      if (!TYPES.includes(type)) report(`${path}.type`, `must be ${joinWithOr(TYPES)}`);
      return { ...input, type };
  }
}

function checkCombination(stored: readonly DraftComponent[], category: string, report: Report): void {
  const types = stored.map(({ type }) => type);
  for (const [index, type] of types.entries()) {
    if (types.indexOf(type) < index) report(`components[${index}]`, `repeats the ${type}`);
    if (types.includes('CAROUSEL') && type !== 'CAROUSEL' && type !== 'BODY') {
      report(`components[${index}]`, 'must not be combined with a CAROUSEL');
    }
    if (category !== 'MARKETING' && MARKETING_ONLY.includes(type)) {
      report('category', `must be MARKETING, because components[${index}] is a ${type}`);
    }
  }
  const buttons = stored.flatMap(({ buttons: items = [] }) => items as { type: string }[]);
  const marketingButton =
    category === 'MARKETING' ? undefined : buttons.find(({ type }) => MARKETING_ONLY.includes(type));
  if (marketingButton) report('category', `must be MARKETING, because a button has the type ${marketingButton.type}`);
  if (!types.includes('BODY')) report('components', 'must contain a BODY');
  if (category === 'AUTHENTICATION') {
    if (!types.includes('BUTTONS')) report('components', 'must contain BUTTONS in the category AUTHENTICATION');
    return;
  }
  checkOfferCombination(stored, report);
  checkNaming(stored, report);
}

/** All parameters of a template must be either numbered or named (Meta, "parameter_format"). */
function checkNaming(stored: readonly DraftComponent[], report: Report): void {
  const styles = listTexts(stored).flatMap(({ path, text }) => {
    const [key] = listPlaceholderKeys(text);
    return key === undefined ? [] : [{ path, isNumbered: isPositionKey(key) }];
  });
  const [firstStyle] = styles;
  const mismatch = styles.find(({ isNumbered }) => isNumbered !== firstStyle?.isNumbered);
  if (mismatch) report(mismatch.path, 'must number or name its parameters in the same way as the other texts');
}

function listTexts(components: readonly DraftComponent[], root = 'components'): { path: string; text: string }[] {
  return components.flatMap(({ text, cards }, index) => {
    const path = `${root}[${index}]`;
    if (typeof text === 'string') return [{ path: `${path}.text`, text }];
    if (!Array.isArray(cards)) return [];
    return (cards as { components: DraftComponent[] }[]).flatMap((card, cardIndex) =>
      listTexts(card.components, `${path}.cards[${cardIndex}].components`),
    );
  });
}
