import { text } from '../../text/en.js';
import { Icon, type IconName } from '../../ui/basics/icons.js';
import { formatTime } from '../../ui/values/time-text.js';
import { formatText } from './formatted-text.js';
import classes from './template-preview.module.css';
import { type Components, fillView, readTemplate, type TemplateButton, type TemplateView } from './template-view.js';

const words = text.templates;

const BUTTON_ICONS: Readonly<Record<string, IconName>> = {
  URL: 'external',
  PHONE_NUMBER: 'tower',
  VOICE_CALL: 'tower',
  COPY_CODE: 'copy',
  OTP: 'copy',
  QUICK_REPLY: 'reply',
  FLOW: 'flow',
  CATALOG: 'list',
  MPM: 'list',
  SPM: 'list',
};
const HEADER_ICONS: Readonly<Record<string, IconName>> = {
  IMAGE: 'picture',
  VIDEO: 'play',
  DOCUMENT: 'document',
  LOCATION: 'route',
  PRODUCT: 'list',
};

interface TemplatePreviewProps {
  components: Components;
  /** Values by slot; slots without a value show their placeholder, such as `{{1}}`. */
  values?: Readonly<Record<string, string>>;
  /** Images from the operator's device by slot; the preview never loads remote images. */
  pictures?: Readonly<Record<string, string>>;
}

export function TemplatePreview({ components, values = {}, pictures = {} }: TemplatePreviewProps) {
  return <PhoneView view={fillView(readTemplate(components), values)} pictures={pictures} />;
}

export function PhoneView({ view, pictures = {} }: PartsProps) {
  return (
    <figure className={classes.phone} aria-label={words.preview}>
      <TemplateParts view={view} pictures={pictures} />
    </figure>
  );
}

interface PartsProps {
  view: TemplateView;
  pictures?: Readonly<Record<string, string>>;
}

export function TemplateParts({ view, pictures = {} }: PartsProps) {
  return (
    <div className={classes.message}>
      <Bubble view={view} picture={pictures.header} />
      {view.cards.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, and a page may show several previews.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
        <div className={classes.cards} role="group" aria-label={words.cardsOf(view.cards.length)} tabIndex={0}>
          {view.cards.map((card, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cards are identified by their position.
            <article key={index} className={classes.card} aria-label={words.cardNo(index + 1)}>
              <Bubble view={card} picture={pictures[`card${index}.header`]} />
            </article>
          ))}
        </div>
      )}
    </div>
  );
}

function Bubble({ view, picture }: { view: TemplateView; picture: string | undefined }) {
  const { header, body, footer, buttons, offer } = view;
  return (
    <>
      <div className={classes.bubble}>
        {header?.format === 'TEXT' && header.text !== '' && <div className={classes.header}>{header.text}</div>}
        {header && header.format !== 'TEXT' && <Media {...header} picture={picture} />}
        {offer && <OfferPreview offer={offer} code={buttons.find(({ type }) => type === 'COPY_CODE')?.code ?? ''} />}
        {/* A card without text shows only its header. */}
        {(body !== '' || !header) && <div className={classes.body}>{formatText(body || '…')}</div>}
        {footer !== '' && <div className={classes.footer}>{footer}</div>}
      </div>
      {buttons.length > 0 && (
        <div className={classes.buttons}>
          {buttons.map((button, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: buttons are identified by their position.
            <div key={index} className={classes.button} title={buttonHint(button)}>
              {BUTTON_ICONS[button.type] && <Icon name={BUTTON_ICONS[button.type] as IconName} size={15} />}
              {button.text || (words.fixedLabels as Readonly<Record<string, string>>)[button.type] || words.copyCode}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

function Media({ format, about, picture }: { format: string; about: string; picture: string | undefined }) {
  const formats: Readonly<Record<string, string>> = words.formats;
  const description = about || (formats[format] ?? format);
  if (picture) return <img className={classes.picture} src={picture} alt={description} />;
  return (
    <div className={classes.media} data-format={format}>
      <Icon name={HEADER_ICONS[format] ?? 'picture'} size={28} />
      {description}
    </div>
  );
}

function OfferPreview({ offer, code }: { offer: NonNullable<TemplateView['offer']>; code: string }) {
  const { text: offerText, ends, endsAt } = offer;
  const isTime = endsAt !== '' && !Number.isNaN(Date.parse(endsAt));
  return (
    <div className={classes.offer}>
      <Icon name="clock" size={22} />
      <div>
        <div className={classes.header}>{offerText || '…'}</div>
        {ends && <div>{isTime ? words.offerEndsAt(formatTime(new Date(endsAt).toISOString())) : words.offerEnds}</div>}
        {code !== '' && <div>{words.offerCode(code)}</div>}
      </div>
    </div>
  );
}

function buttonHint({ type, url, phoneNumber, code }: TemplateButton): string | undefined {
  if (type === 'URL') return url;
  return phoneNumber || code || undefined;
}
