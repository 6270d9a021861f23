import { Anchor } from '@mantine/core';
import type { ChannelRef } from '../../api/channel-ref.js';
import type { Message } from '../../api/inbox.js';
import { formatText } from '../../shared/templates/formatted-text.js';
import { TemplateParts } from '../../shared/templates/template-preview.js';
import { toView } from '../../shared/templates/template-view.js';
import { text } from '../../text/en.js';
import { Icon, type IconName } from '../../ui/basics/icons.js';
import { formatTime } from '../../ui/values/time-text.js';
import classes from './inbox.module.css';
import { Media } from './media.js';
import type { MessageWithReactions } from './reactions.js';

const FAILED: readonly string[] = ['failed', 'rejected', 'undelivered', 'expired'];
const TICKS: Readonly<Record<string, string>> = { sent: '✓', delivered: '✓✓', read: '✓✓' };
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

interface BubbleProps extends MessageWithReactions {
  channelRef: ChannelRef;
  /** Whether we have ever written to the contact; otherwise, the contact's pictures are shown only after a click. */
  isKnown: boolean;
}

export function Bubble({ channelRef, message, isKnown, reactions }: BubbleProps) {
  const { direction, type, status, errorCode, errorMessage, createdAt } = message;
  const isOut = direction === 'outbound';
  const hasFailed = status !== null && FAILED.includes(status);
  const senderLabel = isOut ? text.inbox.fromUs : text.inbox.fromContact;
  return (
    <li className={classes.bubble} data-out={isOut || undefined} data-failed={hasFailed || undefined}>
      <span className="visually-hidden">{senderLabel}: </span>
      {message.revokedAt && <em>{text.inbox.revoked}</em>}
      {type !== 'text' && !message.revokedAt && (
        <Attachment channelRef={channelRef} message={message} isKnown={isKnown} />
      )}
      <MessageText message={message} />
      {hasFailed && (
        <div className={classes.failed}>
          {text.inbox.failed(status)}
          {errorMessage ? `: ${errorMessage}` : ''}
          {errorCode ? ` (${errorCode})` : ''}
        </div>
      )}
      {message.keywordReply?.reason && (
        <div className={classes.text}>{text.inbox.noKeywordReply(message.keywordReply.reason)}</div>
      )}
      <div className={classes.foot}>
        <time dateTime={createdAt} title={formatStatusTimes(message)}>
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

function MessageText({ message: { type, text: body, payload } }: { message: Message }) {
  const view = type === 'template' ? toView(payloadFields(payload).shown) : null;
  if (view) return <TemplateParts view={view} />;
  return body !== '' && <div className={classes.text}>{formatText(body)}</div>;
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

function formatStatusTimes({ createdAt, sentAt, deliveredAt, readAt }: Message): string {
  const lines = [[text.inbox.at, createdAt] as const];
  if (sentAt) lines.push([text.status.sent, sentAt]);
  if (deliveredAt) lines.push([text.status.delivered, deliveredAt]);
  if (readAt) lines.push([text.status.read, readAt]);
  return lines.map(([label, time]) => `${label}: ${formatTime(time)}`).join('\n');
}

/** Matches IDs of files stored on this server, because a carrier's media ID cannot be loaded. */
const MEDIA_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const ICONS: Readonly<Record<string, IconName>> = {
  image: 'screen',
  video: 'play',
  document: 'list',
  location: 'route',
  template: 'template',
  button: 'check',
};

/**
 * Remote content is never loaded automatically, because anyone could send a link to a host that records readers' IP addresses.
 */
function Attachment({ channelRef, message: { type, payload, direction }, isKnown }: Omit<BubbleProps, 'reactions'>) {
  const fields = payloadFields(payload);
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const kind = types[type] ?? text.inbox.unknownType(type);
  if (type === 'user_action') return <Action name={asText(fields.action_type)} />;
  const label = asText(fields.filename) || (type === 'reaction' && asText(fields.emoji)) || kind;
  const mediaId = asText(fields.mediaId);
  if (MEDIA_ID.test(mediaId)) {
    const isOurs = direction === 'outbound';
    return (
      <Media channelRef={channelRef} mediaId={mediaId} type={type} label={label} showsAtOnce={isOurs || isKnown} />
    );
  }
  const href = type === 'location' ? buildMapLink(fields) : findSafeLink(fields);
  return (
    <div className={classes.attachment}>
      <Icon name={ICONS[type] ?? 'info'} size={16} />
      {href ? (
        <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" size="sm">
          {type === 'location' ? locationText(fields) : text.inbox.open(label)}
        </Anchor>
      ) : (
        <span>{type === 'template' && asText(fields.name) ? text.inbox.template(asText(fields.name)) : label}</span>
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

function payloadFields(payload: Message['payload']): Readonly<Record<string, unknown>> {
  return payload ?? {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function findSafeLink({ url, link }: Record<string, unknown>): string | null {
  const href = asText(url) || asText(link);
  return /^https?:\/\//i.test(href) && URL.canParse(href) ? href : null;
}

function buildMapLink({ latitude, longitude }: Record<string, unknown>): string | null {
  const [lat, lon] = [Number(latitude), Number(longitude)];
  if (!Number.isFinite(lat) || !Number.isFinite(lon)) return null;
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=16/${lat}/${lon}`;
}

function locationText({ name, address, latitude, longitude }: Record<string, unknown>): string {
  const description = [asText(name), asText(address)].filter(Boolean).join(', ');
  return description || `${Number(latitude)}, ${Number(longitude)}`;
}
