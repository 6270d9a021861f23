import { Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import {
  type AccountChannel,
  accountChannelsQuery,
  deleteChannel,
  resumeChannel,
  switchChannel,
} from '../../api/account/account-channels.js';
import { useCan } from '../../session/session.js';
import { CloudApiFields } from '../../shared/cloud-api-fields.js';
import { QualityBadge } from '../../shared/quality-badge.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { SwitchButton } from '../../ui/dialogs/switch-button.js';
import { WorkButton } from '../../ui/dialogs/work-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { formatTime } from '../../ui/values/time-text.js';
import { ChannelCarrierDialog, NewChannelDialog } from './channel-forms.js';

const words = text.accountSettings;

export function ChannelsSection({ accountId }: { accountId: string }) {
  const { data: channels, error, refetch } = useQuery(accountChannelsQuery(accountId));
  const canCreate = useCan('owner', 'installation');
  const canSwitch = useCan('owner');
  const [isAdding, setAdding] = useState(false);
  const add = canCreate && (
    <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
      {words.addChannel}
    </Button>
  );
  const actions: Column<AccountChannel> = {
    key: 'actions',
    header: words.channelActions,
    bare: true,
    render: (channel) => (
      <ChannelActions accountId={accountId} channel={channel} canSwitch={canSwitch} canMove={canCreate} />
    ),
  };
  return (
    <Section title={words.channels} lead={words.channelsLead} actions={channels?.length !== 0 && add}>
      <DataTable
        caption={words.channelsTable}
        columns={[...COLUMNS, actions]}
        rows={channels}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon="tower" title={words.noChannels} hint={words.noChannelsHint} action={add} />}
      />
      {isAdding && <NewChannelDialog accountId={accountId} onClose={() => setAdding(false)} />}
    </Section>
  );
}

const COLUMNS: readonly Column<AccountChannel>[] = [
  {
    key: 'name',
    header: words.channelName,
    bare: true,
    render: ({ name, isDefault }) => (
      <Group gap="xs">
        {name}
        {isDefault && (
          <Badge variant="light" color="gray" radius="sm" tt="none">
            {words.channelIsDefault}
          </Badge>
        )}
      </Group>
    ),
  },
  { key: 'kind', header: words.channelKind, render: ({ kind }) => words.kinds[kind] },
  { key: 'number', header: words.channelPhone, nowrap: true, render: ({ phoneNumber }) => `+${phoneNumber}` },
  { key: 'carrier', header: words.channelCarrier, render: ({ carrier }) => carrier },
  {
    key: 'health',
    header: words.channelHealth,
    render: (channel) => (
      <Stack gap={2} align="flex-start" ta="start" miw={0}>
        <StatusBadge {...describeHealth(channel)} />
        <QualityBadge quality={channel.qualityRating} />
        {channel.pausedAt && (
          <Text size="xs">{words.channelPaused(channel.pauseCode ?? '', channel.pauseReason ?? '')}</Text>
        )}
        {listCarrierNotices(channel).map((line) => (
          <Text size="xs" key={line}>
            <CarrierWords line={line} />
          </Text>
        ))}
      </Stack>
    ),
  },
];

/** Meta's codes are long, so lines can break after underscores. */
function CarrierWords({ line }: { line: string }) {
  return line.split(/(?<=_)/).map((part, index) => {
    const key = index;
    return (
      <Fragment key={key}>
        {part}
        <wbr />
      </Fragment>
    );
  });
}

function listCarrierNotices({ messagingLimit, restrictions, notices }: AccountChannel): string[] {
  const [notice] = notices;
  return [
    ...(messagingLimit ? [words.channelLimit(messagingLimit)] : []),
    ...restrictions.map(({ type, until }) => words.channelRestricted(type, until && formatTime(until, 'date'))),
    ...(notice ? [words.channelNotice(notice.event, formatTime(notice.at, 'date'), notice.text)] : []),
  ];
}

function describeHealth({ isActive, pausedAt, health }: AccountChannel) {
  if (!isActive) return { status: 'disabled', label: words.health.off, color: 'gray' };
  if (pausedAt) return { status: 'paused', label: words.health.paused, color: 'red' };
  return { status: health, label: words.health[health] ?? health, color: health === 'healthy' ? 'green' : 'red' };
}

interface ChannelActionsProps {
  accountId: string;
  channel: AccountChannel;
  canSwitch: boolean;
  canMove: boolean;
}

function ChannelActions({ accountId, channel, canSwitch, canMove }: ChannelActionsProps) {
  const { id, name, phoneNumber, isActive, pausedAt } = channel;
  const [isMoving, setMoving] = useState(false);
  const [isShowing, setShowing] = useState(false);
  const resume = async () => {
    await resumeChannel(accountId, id);
    notify(words.channelResumed(name));
  };
  const switchThisChannel = async (isOn: boolean) => {
    await switchChannel(accountId, id, isOn);
    notify(isOn ? words.channelSwitchedOn(name) : words.channelSwitchedOff(name));
  };
  const remove = async () => {
    await deleteChannel(accountId, id, phoneNumber);
    notify(words.channelDeleted(name));
  };
  return (
    <Group gap="xs">
      {pausedAt && canSwitch && (
        <WorkButton variant="filled" size="xs" work={resume} aria-label={`${words.channelResume}: ${name}`}>
          {words.channelResume}
        </WorkButton>
      )}
      {channel.graph && (
        <Button variant="default" size="xs" onClick={() => setShowing(true)} aria-label={text.cloudApi.showOf(name)}>
          {text.cloudApi.show}
        </Button>
      )}
      {canMove && (
        <Button
          variant="default"
          size="xs"
          onClick={() => setMoving(true)}
          aria-label={`${words.channelCarrierChange}: ${name}`}
        >
          {words.channelCarrierChange}
        </Button>
      )}
      {canSwitch && (
        <SwitchButton isOn={isActive} name={name} words={words.channelSwitch} onSwitch={switchThisChannel} />
      )}
      {canMove && (
        <ConfirmButton
          size="xs"
          {...words.channelDeleteQuestion(name)}
          typed={`+${phoneNumber}`}
          onConfirm={remove}
          aria-label={`${words.channelDelete}: ${name}`}
        >
          {words.channelDelete}
        </ConfirmButton>
      )}
      <Modal opened={isShowing} onClose={() => setShowing(false)} title={text.cloudApi.titleOf(name)} size="lg">
        <Stack gap="sm">
          <CloudApiFields channels={[channel]} />
          <Text size="sm">{text.cloudApi.tokenHint}</Text>
        </Stack>
      </Modal>
      {isMoving && <ChannelCarrierDialog accountId={accountId} channel={channel} onClose={() => setMoving(false)} />}
    </Group>
  );
}
