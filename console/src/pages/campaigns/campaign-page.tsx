import { Button, Grid, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { buildRecipientsUrl, type Campaign, campaignQuery, campaignsKey, type Recipient } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { MESSAGE_STATUSES } from '../../api/message-statuses.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId } from '../../session/session.js';
import { WhatsappOnly } from '../../shared/whatsapp-only.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { StatusFilter } from '../../ui/forms/status-filter.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { type Fact, FactLines } from '../../ui/tables/facts.js';
import { BodyBlock } from '../../ui/values/body-block.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { personText } from '../../ui/values/phone.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { BackToCampaigns } from './back-to-campaigns.js';
import { CampaignActions } from './campaign-actions.js';
import { Results } from './campaign-results.js';
import { NewCampaign } from './new-campaign.js';
import { formatRecipients } from './recipients-text.js';

const words = text.campaigns;

/** Shows the form for a new campaign if the ID in the URL is `new`. */
export function CampaignPage() {
  const accountId = useAccountId();
  const { campaignId } = useParams({ strict: false });
  return (
    <WhatsappOnly sms title={words.campaignTitle}>
      {(channelId) =>
        campaignId === 'new' ? (
          <NewCampaign channelRef={{ accountId, channelId }} />
        ) : (
          <CampaignView channelRef={{ accountId, channelId }} id={campaignId ?? ''} />
        )
      }
    </WhatsappOnly>
  );
}

function CampaignView({ channelRef, id }: { channelRef: ChannelRef; id: string }) {
  const { data: campaign, error, refetch } = useQuery(campaignQuery(channelRef, id));
  const back = <BackToCampaigns channelRef={channelRef} />;
  if (!campaign) {
    return <PendingPage title={words.campaignTitle} back={back} error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page title={campaign.name} back={back} actions={<CampaignActions channelRef={channelRef} campaign={campaign} />}>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Reach campaign={campaign} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Facts campaign={campaign} />
        </Grid.Col>
      </Grid>
      {campaign.startedAt && <Results channelRef={channelRef} campaign={campaign} />}
      <Recipients channelRef={channelRef} campaign={campaign} />
    </Page>
  );
}

/** Groups of message statuses, in the order of the bar's segments. */
const STAGES = [
  { key: 'delivered', statuses: ['delivered', 'read'], color: 'green.8' },
  { key: 'sent', statuses: ['sent'], color: 'blue.8' },
  { key: 'waiting', statuses: ['queued', 'sending'], color: 'gray.6' },
  { key: 'failed', statuses: ['failed', 'rejected', 'undelivered', 'expired'], color: 'red.8' },
  { key: 'canceled', statuses: ['canceled'], color: 'gray.8' },
] as const;

const ENDED: readonly string[] = ['completed', 'canceled', 'failed'];

function Reach({ campaign }: { campaign: Campaign }) {
  const { counts, recipientCount, leftCount, skippedCount, refusedCount, cappedCount, status, errorMessage } = campaign;
  const stages = STAGES.map(({ key, statuses, color }) => ({
    key,
    color,
    count: statuses.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
  }));
  const isOver = ENDED.includes(status);
  // The count includes canceled messages, and recipients for whom no message was created.
  const unsentCount = leftCount + (counts.canceled ?? 0);
  return (
    <Section
      title={words.progress}
      lead={words.createdMessages(formatNumber(recipientCount - leftCount), formatNumber(recipientCount))}
      actions={<StatusBadge status={status} />}
    >
      {/* The empty part of the bar represents the remaining recipients. */}
      <Progress.Root size="xl" aria-hidden>
        {stages.map(({ key, color, count }) => (
          <Progress.Section
            key={key}
            value={recipientCount === 0 ? 0 : (count / recipientCount) * 100}
            color={color}
            aria-label={words.stages[key]}
          />
        ))}
      </Progress.Root>
      <Group gap="xl" component="dl" m={0} aria-live="off">
        {stages.map(({ key, count }) => (
          <Figure key={key} label={words.stages[key]} value={count} />
        ))}
        {skippedCount > 0 && <Figure label={words.passedOver} value={skippedCount} />}
        {refusedCount > 0 && <Figure label={words.refused} value={refusedCount} />}
        {cappedCount > 0 && <Figure label={words.capped} value={cappedCount} />}
        {!isOver && <Figure label={words.remaining} value={leftCount} />}
      </Group>
      {isOver && unsentCount > 0 && (
        <Text size="sm" role="status">
          {words.unsentCount(formatNumber(unsentCount))}
        </Text>
      )}
      {errorMessage && (
        <Text c="var(--mantine-color-error)" size="sm" role="status">
          {errorMessage}
        </Text>
      )}
    </Section>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fw={650} size="lg">
        {formatNumber(value)}
      </Text>
    </div>
  );
}

function Facts({ campaign }: { campaign: Campaign }) {
  const {
    templateName,
    language,
    text: smsText,
    variants,
    optOutLine,
    createdAt,
    scheduledAt,
    startedAt,
    pausedAt,
    completedAt,
  } = campaign;
  const furtherVariants = variants.slice(1).map((variant): Fact => {
    const label = text.campaignVariants.variant(variant.variant);
    if (variant.text === null) return [label, `${variant.templateName} (${variant.language})`];
    return [label, <BodyBlock key={variant.variant} body={variant.text} />];
  });
  const facts: (Fact | null)[] = [
    smsText === null
      ? [words.template, `${templateName} (${language})`]
      : [words.text, <BodyBlock key="text" body={smsText} />],
    ...furtherVariants,
    optOutLine ? [words.optOutLine, optOutLine] : null,
    [words.recipients, formatRecipients(campaign)],
    [words.created, <TimeText key="created" value={createdAt} />],
    scheduledAt ? [words.scheduled, <TimeText key="scheduled" value={scheduledAt} />] : null,
    [words.started, <TimeText key="started" value={startedAt} />],
    pausedAt ? [words.paused, <TimeText key="paused" value={pausedAt} />] : null,
    [words.completed, <TimeText key="completed" value={completedAt} />],
  ];
  return (
    <Section title={words.facts}>
      <FactLines facts={facts} />
    </Section>
  );
}

function Recipients({ channelRef, campaign }: { channelRef: ChannelRef; campaign: Campaign }) {
  const [params] = useSearchParams();
  const pages = useKeyPages({
    // The counts are part of the query key, so that the list is refetched when the counts change.
    queryKey: [...campaignsKey(channelRef), campaign.id, 'messages', JSON.stringify(campaign.counts)],
    endpoint: 'GET /accounts/:accountId/channels/:channelId/campaigns/:id/messages',
    params: { ...channelRef, id: campaign.id },
    query: { status: params.status },
  });
  const columns: Column<Recipient>[] = [
    {
      key: 'phone',
      header: words.recipient,
      bare: true,
      nowrap: true,
      render: ({ id, ...person }) => (
        <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId: channelRef.accountId, messageId: id }}>
          {personText(person)}
        </TextLink>
      ),
    },
    { key: 'status', header: words.status, render: ({ status }) => <StatusBadge status={status} /> },
    { key: 'sent', header: words.sent, nowrap: true, render: ({ sentAt }) => <TimeText value={sentAt} /> },
    {
      key: 'ended',
      header: words.deliveredAt,
      nowrap: true,
      render: ({ deliveredAt }) => <TimeText value={deliveredAt} />,
    },
    {
      key: 'error',
      header: words.error,
      breaks: true,
      render: ({ errorMessage, refunded }) =>
        errorMessage ? `${errorMessage}${refunded ? ` ${words.refunded}` : ''}` : '–',
    },
  ];
  return (
    <Section
      title={words.recipients}
      actions={
        <Button
          component="a"
          href={buildRecipientsUrl(channelRef, campaign.id)}
          download
          variant="default"
          leftSection={<Icon name="download" size={16} />}
        >
          {text.campaignResults.export}
        </Button>
      }
    >
      <StatusFilter label={words.recipientStatus} allLabel={words.all} statuses={MESSAGE_STATUSES} />
      <DataTable
        caption={words.recipientTable}
        columns={columns}
        pages={pages}
        empty={<EmptyState icon="users" title={words.noRecipients} hint={words.noRecipientsHint} />}
      />
    </Section>
  );
}
