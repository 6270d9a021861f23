import type { ButtonInput, DraftComponent, DraftComponentInput, Report } from './input.js';
import { brokenLineRule } from './texts.js';

/** Limits of Meta's Cloud API ("Limited-time offer templates"), in characters. */
const TEXT_LIMIT = 16;
export const OFFER_BODY_LIMIT = 600;
const CODE_LIMIT = 15;

/** Checks what an offer says of itself. */
export function checkOffer(input: DraftComponentInput, path: string, report: Report): DraftComponent {
  const { limited_time_offer: offer } = input;
  report(`${path}.limited_time_offer.text`, brokenLineRule(offer?.text, TEXT_LIMIT, 0));
  return { ...input, type: 'LIMITED_TIME_OFFER' };
}

/** Checks what stands beside an offer: a code that ends with it stands before the link. */
export function checkBesideOffer(components: readonly DraftComponent[], report: Report): void {
  const at = (type: string) => components.findIndex((each) => each.type === type);
  const [offer, header, footer, buttons] = ['LIMITED_TIME_OFFER', 'HEADER', 'FOOTER', 'BUTTONS'].map(at) as [
    number,
    number,
    number,
    number,
  ];
  if (offer < 0) return;
  const format = components[header]?.format;
  if (format !== undefined && format !== 'IMAGE' && format !== 'VIDEO') {
    report(`components[${header}].format`, 'must be IMAGE or VIDEO beside a LIMITED_TIME_OFFER');
  }
  if (footer >= 0) report(`components[${footer}]`, 'must not stand beside a LIMITED_TIME_OFFER');
  const made = (components[buttons]?.buttons ?? []) as ButtonInput[];
  const path = buttons < 0 ? 'components' : `components[${buttons}].buttons`;
  const said = components[offer]?.limited_time_offer as { has_expiration?: boolean } | undefined;
  const types = made.map(({ type }) => type);
  if (!types.includes('URL')) report(path, 'must hold a button of the type URL beside a LIMITED_TIME_OFFER');
  if (said?.has_expiration === true && !types.includes('COPY_CODE')) {
    report(path, 'must hold a button of the type COPY_CODE where the offer has an expiration');
  }
  if (types.indexOf('COPY_CODE') > 0) report(path, 'must begin with the button of the type COPY_CODE');
  for (const [index, { type, example }] of made.entries()) {
    if (type !== 'URL' && type !== 'COPY_CODE') {
      report(`${path}[${index}].type`, 'must be COPY_CODE or URL beside a LIMITED_TIME_OFFER');
    }
    if (type === 'COPY_CODE' && [...([example].flat()[0] ?? '')].length > CODE_LIMIT) {
      report(`${path}[${index}].example`, `must have at most ${CODE_LIMIT} characters beside a LIMITED_TIME_OFFER`);
    }
  }
}
