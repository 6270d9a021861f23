import { Anchor } from '@mantine/core';
import type { ChannelPlace, Message } from '../../api/inbox.js';
import { marked } from '../../parts/templates/marked.js';
import { TemplateParts } from '../../parts/templates/template-preview.js';
import { viewOfShown } from '../../parts/templates/template-view.js';
import { text } from '../../text/en.js';
import { Icon, type IconName } from '../../ui/basics/icons.js';
import { formatTime } from '../../ui/values/time-text.js';
import classes from './inbox.module.css';
import { Media } from './media.js';
import type { Reacted } from './reactions.js';

const FAILED: readonly string[] = ['failed', 'rejected', 'undelivered', 'expired'];
const TICKS: Readonly<Record<string, string>> = { sent: '✓', delivered: '✓✓', read: '✓✓' };
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

interface BubbleProps extends Reacted {
  channelRef: ChannelPlace;
  /** Whether we have written to the contact before. Pictures of other contacts are shown only after a click. */
  isKnown: boolean;
}

export function Bubble({ channelRef, message, isKnown, reactions }: BubbleProps) {
  const { direction, type, status, errorCode, errorMessage, createdAt } = message;
  const isOut = direction === 'outbound';
  const failed = status !== null && FAILED.includes(status);
  const from = isOut ? text.inbox.fromUs : text.inbox.fromContact;
  return (
    <li className={classes.bubble} data-out={isOut || undefined} data-failed={failed || undefined}>
      <span className="visually-hidden">{from}: </span>
      {message.revokedAt && <em>{text.inbox.revoked}</em>}
      {type !== 'text' && !message.revokedAt && (
        <Attachment channelRef={channelRef} message={message} isKnown={isKnown} />
      )}
      <Said message={message} />
      {failed && (
        <div className={classes.failed}>
          {text.inbox.failed(status)}
          {errorMessage ? `: ${errorMessage}` : ''}
          {errorCode ? ` (${errorCode})` : ''}
        </div>
      )}
      <div className={classes.foot}>
        <time dateTime={createdAt} title={timesOf(message)}>
          {CLOCK.format(new Date(createdAt))}
        </time>
        {message.editedAt && !message.revokedAt && <span>{text.inbox.edited}</span>}
        {status && <Ticks status={status} />}
        {reactions.length > 0 && (
          <span role="img" aria-label={`${text.inbox.reactions}: ${reactions.join(' ')}`}>
            {reactions.join(' ')}
          </span>
        )}
      </div>
    </li>
  );
}

function Said({ message: { type, text: body, payload } }: { message: Message }) {
  const view = type === 'template' ? viewOfShown(fieldsOf(payload).shown) : null;
  if (view) return <TemplateParts view={view} />;
  return body !== '' && <div className={classes.text}>{marked(body)}</div>;
}

function Ticks({ status }: { status: string }) {
  const words: Readonly<Record<string, string>> = text.status;
  const label = words[status] ?? status;
  const ticks = TICKS[status];
  if (ticks) {
    return (
      <span className={classes.ticks} data-status={status} role="img" aria-label={label} title={label}>
        {ticks}
      </span>
    );
  }
  return <span title={label}>{label}</span>;
}

function timesOf({ createdAt, sentAt, deliveredAt, readAt }: Message): string {
  const lines = [[text.inbox.at, createdAt] as const];
  if (sentAt) lines.push([text.status.sent, sentAt]);
  if (deliveredAt) lines.push([text.status.delivered, deliveredAt]);
  if (readAt) lines.push([text.status.read, readAt]);
  return lines.map(([label, time]) => `${label}: ${formatTime(time)}`).join('\n');
}

/** IDs of files stored on this server. A carrier's media ID cannot be loaded. */
const MEDIA_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ICONS: Readonly<Record<string, IconName>> = {
  image: 'screen',
  video: 'play',
  document: 'list',
  location: 'route',
  template: 'template',
  button: 'check',
};

/** Remote content is never loaded automatically: anyone can send messages, and the host would learn the reader's IP address. */
function Attachment({ channelRef, message: { type, payload, direction }, isKnown }: Omit<BubbleProps, 'reactions'>) {
  const fields = fieldsOf(payload);
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const kind = types[type] ?? text.inbox.unknownType(type);
  if (type === 'user_action') return <Action name={textOf(fields.action_type)} />;
  const label = textOf(fields.filename) || (type === 'reaction' && textOf(fields.emoji)) || kind;
  const mediaId = textOf(fields.mediaId);
  if (MEDIA_ID.test(mediaId)) {
    const isOurs = direction === 'outbound';
    return (
      <Media channelRef={channelRef} mediaId={mediaId} type={type} label={label} showsAtOnce={isOurs || isKnown} />
    );
  }
  const href = type === 'location' ? mapOf(fields) : linkOf(fields);
  return (
    <div className={classes.attachment}>
      <Icon name={ICONS[type] ?? 'info'} size={16} />
      {href ? (
        <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" size="sm">
          {type === 'location' ? placeOf(fields) : text.inbox.open(label)}
        </Anchor>
      ) : (
        <span>{type === 'template' && textOf(fields.name) ? text.inbox.template(textOf(fields.name)) : label}</span>
      )}
    </div>
  );
}

function Action({ name }: { name: string }) {
  return (
    <div className={classes.attachment}>
      <Icon name="check" size={16} />
      <span>{text.inbox.actions[name] ?? text.inbox.otherAction(name)}</span>
    </div>
  );
}

function fieldsOf(payload: Message['payload']): Readonly<Record<string, unknown>> {
  return payload ?? {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function linkOf({ url, link }: Record<string, unknown>): string | null {
  const href = textOf(url) || textOf(link);
  return /^https?:\/\//i.test(href) && URL.canParse(href) ? href : null;
}

function mapOf({ latitude, longitude }: Record<string, unknown>): string | null {
  const [lat, lon] = [Number(latitude), Number(longitude)];
  if (!Number.isFinite(lat) || !Number.isFinite(lon)) return null;
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=16/${lat}/${lon}`;
}

function placeOf({ name, address, latitude, longitude }: Record<string, unknown>): string {
  const description = [textOf(name), textOf(address)].filter(Boolean).join(', ');
  return description || `${Number(latitude)}, ${Number(longitude)}`;
}
