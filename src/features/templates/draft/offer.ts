import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { findBrokenLineRule } from './texts.js';

/** Limits of Meta's Cloud API ("Limited-time offer templates"), in characters. */
const TEXT_LIMIT = 16;
export const OFFER_BODY_LIMIT = 600;
const CODE_LIMIT = 15;

export function checkOffer(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const { limited_time_offer: offer } = input;
  report(`${path}.limited_time_offer.text`, findBrokenLineRule(offer?.text, TEXT_LIMIT, 0));
  return { ...input, type: 'LIMITED_TIME_OFFER' };
}

/** In an offer, the button with the expiring code must come before the button with the link. */
export function checkOfferCombination(components: readonly DraftComponent[], report: Report): void {
  const indexOfType = (type: string) => components.findIndex((each) => each.type === type);
  const [offer, header, footer, buttons] = ['LIMITED_TIME_OFFER', 'HEADER', 'FOOTER', 'BUTTONS'].map(indexOfType) as [
    number,
    number,
    number,
    number,
  ];
  if (offer < 0) return;
  const format = components[header]?.format;
  if (format !== undefined && format !== 'IMAGE' && format !== 'VIDEO') {
    report(`components[${header}].format`, 'must be IMAGE or VIDEO in a template with a LIMITED_TIME_OFFER');
  }
  if (footer >= 0) report(`components[${footer}]`, 'must not be combined with a LIMITED_TIME_OFFER');
  const buttonInputs = (components[buttons]?.buttons ?? []) as ButtonInput[];
  const path = buttons < 0 ? 'components' : `components[${buttons}].buttons`;
  const offerDetails = components[offer]?.limited_time_offer as { has_expiration?: boolean } | undefined;
  const types = buttonInputs.map(({ type }) => type);
  if (!types.includes('URL')) report(path, 'must contain a button of type URL in a template with a LIMITED_TIME_OFFER');
  if (offerDetails?.has_expiration === true && !types.includes('COPY_CODE')) {
    report(path, 'must contain a button of type COPY_CODE if the offer has an expiration');
  }
  if (types.indexOf('COPY_CODE') > 0) report(path, 'must start with the button of type COPY_CODE');
  for (const [index, { type, example }] of buttonInputs.entries()) {
    if (type !== 'URL' && type !== 'COPY_CODE') {
      report(`${path}[${index}].type`, 'must be COPY_CODE or URL in a template with a LIMITED_TIME_OFFER');
    }
    if (type === 'COPY_CODE' && [...([example].flat()[0] ?? '')].length > CODE_LIMIT) {
      report(
        `${path}[${index}].example`,
        `must have at most ${CODE_LIMIT} characters in a template with a LIMITED_TIME_OFFER`,
      );
    }
  }
}
