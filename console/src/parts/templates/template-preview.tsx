import { Fragment, type ReactNode } from 'react';
import { text } from '../../text/en.js';
import { Icon, type IconName } from '../../ui/basics/icons.js';
import { type Components, fillText, readTemplate, type TemplateButton } from './template-parts.js';
import classes from './template-preview.module.css';

const BUTTON_ICONS: Readonly<Record<string, IconName>> = {
  URL: 'external',
  PHONE_NUMBER: 'tower',
  COPY_CODE: 'copy',
  OTP: 'copy',
};

interface TemplatePreviewProps {
  components: Components;
  /** By slot; what has none stands as `{{1}}`. */
  values?: Readonly<Record<string, string>>;
}

/** A template as a phone shows it. */
export function TemplatePreview({ components, values = {} }: TemplatePreviewProps) {
  const { header, body, footer, buttons } = readTemplate(components);
  return (
    <figure className={classes.phone} aria-label={text.templates.preview}>
      <div className={classes.bubble}>
        {header?.format === 'TEXT' && header.text !== '' && (
          <div className={classes.header}>{fillText(header.text, 'header', values)}</div>
        )}
        {header && header.format !== 'TEXT' && (
          <div className={classes.media}>
            <Icon name={header.format === 'LOCATION' ? 'route' : 'screen'} size={28} />
            {text.templates.formats[header.format as keyof typeof text.templates.formats] ?? header.format}
          </div>
        )}
        <div className={classes.body}>{marked(fillText(body, 'body', values) || '…')}</div>
        {footer !== '' && <div className={classes.footer}>{footer}</div>}
      </div>
      {buttons.length > 0 && (
        <div className={classes.buttons}>
          {buttons.map((button, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: buttons are known by their place.
            <div key={index} className={classes.button} title={hintOf(button, index, values)}>
              {BUTTON_ICONS[button.type] && <Icon name={BUTTON_ICONS[button.type] as IconName} size={15} />}
              {button.text || text.templates.copyCode}
            </div>
          ))}
        </div>
      )}
    </figure>
  );
}

function hintOf({ type, url, phoneNumber }: TemplateButton, index: number, values: Readonly<Record<string, string>>) {
  if (type === 'URL') return fillText(url, `button${index}`, values);
  return type === 'PHONE_NUMBER' ? phoneNumber : undefined;
}

const MARKS = /((?<!\w)(?:\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~)(?!\w))/g;

/** WhatsApp's own marks: *bold*, _italic_, ~struck~. Nothing else of a text means anything. */
export function marked(body: string): ReactNode {
  return body.split(MARKS).map((part, index) => {
    const inner = part.slice(1, -1);
    // Parts of one text never change places.
    const key = index;
    if (index % 2 === 0) return <Fragment key={key}>{part}</Fragment>;
    if (part.startsWith('*')) return <strong key={key}>{inner}</strong>;
    return part.startsWith('_') ? <em key={key}>{inner}</em> : <s key={key}>{inner}</s>;
  });
}
