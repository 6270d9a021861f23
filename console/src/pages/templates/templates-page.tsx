import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { deleteTemplate, syncTemplates, type Template, templatesQuery } from '../../api/templates.js';
import { useSearchParams } from '../../browser/search.js';
import { useAccountId, useCan, useChannel } from '../../session/session.js';
import { NoChannel } from '../../shared/channel-required.js';
import { QualityBadge } from '../../shared/quality-badge.js';
import { readExamples } from '../../shared/templates/template-parts.js';
import { TemplatePreview } from '../../shared/templates/template-preview.js';
import { text } from '../../text/en.js';
import { toSid } from '../../text/sids.js';
import { Icon } from '../../ui/basics/icons.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { notify, notifyError } from '../../ui/feedback/notices.js';
import { CopyButton } from '../../ui/forms/copy-field.js';
import { Page } from '../../ui/layout/page.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { canBeEdited } from './draft-fields.js';
import { TemplateForm } from './template-form.js';
import classes from './templates.module.css';

const words = text.templates;
/** Statuses in which Meta allows editing a template. */
const EDITABLE: readonly string[] = ['APPROVED', 'REJECTED', 'PAUSED'];

export function TemplatesPage() {
  const accountId = useAccountId();
  const { channel, channels } = useChannel();
  if (channel?.kind !== 'whatsapp') {
    return (
      <Page title={words.title} lead={words.lead}>
        {channels && !channel && <NoChannel />}
        {channel && <EmptyState icon="template" title={words.onlyWhatsapp} hint={words.onlyWhatsappHint} />}
        {!channels && <LoadingState />}
      </Page>
    );
  }
  return <Templates key={channel.id} channelRef={{ accountId, channelId: channel.id }} />;
}

function Templates({ channelRef }: { channelRef: ChannelRef }) {
  const { accountId, channelId } = channelRef;
  const mayWrite = useCan('developer');
  const client = useQueryClient();
  const [params, setParams] = useSearchParams();
  const { data, error, refetch } = useQuery(templatesQuery(accountId, channelId));
  const [form, setForm] = useState<{ template?: Template } | null>(null);
  const sync = useMutation({
    mutationFn: () => syncTemplates(accountId, channelId),
    onSuccess: ({ added, updated, disabled }) => {
      notify(words.synced(added, updated, disabled));
      return client.invalidateQueries({ queryKey: ['templates', accountId] });
    },
    onError: notifyError,
  });
  const statuses = [...new Set(data?.templates.map(({ status }) => status))].sort();
  const filtered = data?.templates.filter(({ status }) => !params.status || status === params.status.toUpperCase());
  const statusWords: Readonly<Record<string, string>> = text.status;
  const draft = (
    <Button onClick={() => setForm({})} leftSection={<Icon name="plus" size={16} />}>
      {words.draft}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={mayWrite && draft}>
      <Group justify="space-between" gap="sm">
        <Select
          aria-label={words.status}
          clearable
          placeholder={words.statusAll}
          data={statuses.map((status) => ({ value: status, label: statusWords[status.toLowerCase()] ?? status }))}
          value={params.status?.toUpperCase() ?? null}
          onChange={(status) => setParams({ status: status ?? undefined })}
        />
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {data?.syncedAt ? (
              <>
                {words.syncedAgo} <TimeText value={data.syncedAt} as="ago" />
              </>
            ) : (
              data && words.syncedNever
            )}
          </Text>
          {mayWrite && (
            <Button
              variant="default"
              loading={sync.isPending}
              onClick={() => sync.mutate()}
              leftSection={<Icon name="refresh" size={16} />}
            >
              {words.sync}
            </Button>
          )}
        </Group>
      </Group>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingState lines={6} />}
      {data?.templates.length === 0 && (
        <EmptyState icon="template" title={words.none} hint={words.noneHint} action={mayWrite && draft} />
      )}
      {data && data.templates.length > 0 && filtered?.length === 0 && (
        <EmptyState icon="template" title={words.noneOfStatus} />
      )}
      {filtered && filtered.length > 0 && (
        <ul className={classes.cards}>
          {filtered.map((template) => (
            <li key={template.id}>
              <Card
                template={template}
                channelRef={channelRef}
                onEdit={mayWrite ? () => setForm({ template }) : null}
              />
            </li>
          ))}
        </ul>
      )}
      <Modal
        opened={form !== null}
        onClose={() => setForm(null)}
        title={form?.template ? words.editTitle(form.template.name, form.template.language) : words.draftTitle}
        size="72rem"
        centered={false}
      >
        {form && <TemplateForm channelRef={channelRef} template={form.template} onDone={() => setForm(null)} />}
      </Modal>
    </Page>
  );
}

interface CardProps {
  template: Template;
  channelRef: ChannelRef;
  /** Null without permission. */
  onEdit: (() => void) | null;
}

function Card({ template, channelRef, onEdit }: CardProps) {
  const { id, name, language, category, quality, status, components, updatedAt } = template;
  const client = useQueryClient();
  const categories: Readonly<Record<string, string>> = words.categories;
  const remove = async () => {
    await deleteTemplate(channelRef.accountId, channelRef.channelId, id);
    notify(words.deleted(name));
    await client.invalidateQueries({ queryKey: ['templates', channelRef.accountId] });
  };
  return (
    <article className={classes.card} aria-label={`${name} (${language})`}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <div className={classes.title}>
          <Text fw={650} component="h2">
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {language} · {(categories[category] ?? category).split(':')[0]} · {words.changed.toLowerCase()}{' '}
            <TimeText value={updatedAt} as="ago" />
          </Text>
        </div>
        <Stack gap={4} align="flex-end">
          <StatusBadge status={status} />
          <QualityBadge quality={quality} />
        </Stack>
      </Group>
      <TemplatePreview components={components} values={readExamples(components)} />
      <Group gap="xs" mt="auto">
        {onEdit && EDITABLE.includes(status) && canBeEdited(template) && (
          <Button size="xs" variant="default" onClick={onEdit} leftSection={<Icon name="edit" size={14} />}>
            {words.edit}
          </Button>
        )}
        {onEdit && (
          <ConfirmButton size="xs" {...words.deleteQuestion(name, language)} onConfirm={remove}>
            {text.common.delete}
          </ConfirmButton>
        )}
        <CopyButton size="xs" value={toSid('HX', id)} label={words.contentSidOf(name)}>
          {words.contentSid}
        </CopyButton>
      </Group>
    </article>
  );
}
