import { Button, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { linkSettingsQuery } from '../../api/account/short-links.js';
import {
  type CampaignDraft,
  type CampaignEstimate,
  campaignsKey,
  createCampaign,
  estimateCampaign,
} from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { findFieldProblem } from '../../api/client/request.js';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { accountSettingsQuery } from '../../api/installation/accounts.js';
import { templatesQuery } from '../../api/templates.js';
import { useChannel } from '../../session/session.js';
import { ParameterFields } from '../../shared/templates/parameter-fields.js';
import { listSlots } from '../../shared/templates/template-parts.js';
import { buildComponents } from '../../shared/templates/template-send.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { Section } from '../../ui/layout/section.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { BackToCampaigns } from './back-to-campaigns.js';
import { EstimateView } from './estimate-view.js';
import { NO_RECIPIENTS, type RecipientChoice, RecipientFields, toDraftRecipients } from './recipient-fields.js';
import { TextFields } from './text-fields.js';
import { NO_VARIANTS, toDraftVariants, VariantFields } from './variant-fields.js';

const words = text.campaigns;

interface Form {
  name: string;
  templateId: string;
  text: string;
  /** Null until it is changed: the line of the account. */
  optOutLine: string | null;
  /** Null until it is changed: the setting of the account. */
  shortenLinks: boolean | null;
  recipients: RecipientChoice;
  /** Local time, or empty to start immediately. */
  at: string;
}

const EMPTY: Form = {
  name: '',
  templateId: '',
  text: '',
  optOutLine: null,
  shortenLinks: null,
  recipients: NO_RECIPIENTS,
  at: '',
};

export function NewCampaign({ channelRef }: { channelRef: ChannelRef }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const isSms = useChannel().channel?.kind === 'sms';
  const templates = useQuery({ ...templatesQuery(channelRef.accountId, channelRef.channelId), enabled: !isSms });
  const settings = useQuery({ ...accountSettingsQuery(channelRef.accountId), enabled: isSms });
  const links = useQuery(linkSettingsQuery(channelRef.accountId));
  const approved = templates.data?.templates.filter(({ status }) => status === 'APPROVED');
  const [form, setForm] = useState<Form>(EMPTY);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [variants, setVariants] = useState(NO_VARIANTS);
  const [estimate, setEstimate] = useState<CampaignEstimate | null>(null);
  const template = approved?.find(({ id }) => id === form.templateId);
  const slots = template ? listSlots(template.components) : [];
  const shortenLinks = form.shortenLinks ?? links.data?.isOn ?? false;
  const optOutLine = form.optOutLine ?? settings.data?.optOutLine ?? '';

  const changeForm = (changes: Partial<typeof form>) => {
    setForm({ ...form, ...changes });
    setEstimate(null);
  };
  const buildDraft = (): CampaignDraft => ({
    name: form.name,
    ...(isSms
      ? { text: form.text, optOutLine: optOutLine === '' ? null : optOutLine }
      : {
          templateName: template?.name ?? '',
          language: template?.language ?? '',
          components: buildComponents(slots, values) as NonNullable<CampaignDraft['components']>,
        }),
    shortenLinks,
    ...toDraftRecipients(form.recipients),
    ...toDraftVariants(variants, isSms ? null : (approved ?? [])),
    ...(form.at !== '' && { scheduledAt: new Date(form.at).toISOString() }),
  });
  const sendOnce = useSendOnce();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      if (!estimate) return setEstimate(await estimateCampaign(channelRef, buildDraft()));
      const body = buildDraft();
      const campaign = await sendOnce(body, (key) => createCampaign(channelRef, body, key));
      await client.invalidateQueries({ queryKey: campaignsKey(channelRef) });
      notify(form.at === '' ? words.startedNotice : words.scheduledNotice);
      await navigate({
        to: '/a/$accountId/campaigns/$campaignId',
        params: { accountId: channelRef.accountId, campaignId: campaign.id },
        search: { channel: channelRef.channelId },
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Pressing Enter in a field requests an estimate and never sends the campaign.
    if (!estimate) mutate();
  };
  /** @param requestField name of the field in the server's errors, by default `name` */
  const input = (field: 'name' | 'templateId' | 'at', requestField: string = field) => ({
    value: form[field],
    error: findFieldProblem(error, requestField),
    onChange: (event: { currentTarget: { value: string } }) => changeForm({ [field]: event.currentTarget.value }),
  });
  const loadingError = templates.error ?? settings.error ?? links.error;
  return (
    <Page title={words.newTitle} lead={words.newLead} back={<BackToCampaigns channelRef={channelRef} />} narrow>
      {loadingError && <ErrorState error={loadingError} />}
      <form onSubmit={submit}>
        <Stack>
          <Section title={words.stepMessage}>
            <TextInput label={words.name} description={words.nameHint} required maxLength={255} {...input('name')} />
            {isSms ? (
              <TextFields values={{ text: form.text, optOutLine }} error={error} onChange={changeForm} />
            ) : (
              <NativeSelect
                label={words.template}
                description={approved?.length === 0 ? words.noTemplates : words.templateHint}
                required
                {...input('templateId', 'templateName')}
                data={[
                  { value: '', label: words.choose },
                  ...(approved ?? []).map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` })),
                ]}
              />
            )}
            {template && (
              <ParameterFields
                template={template.components}
                slots={slots}
                values={values}
                error={error}
                onChange={(next) => {
                  setValues(next);
                  setEstimate(null);
                }}
              />
            )}
            <Switch
              label={words.shortenLinks}
              description={words.shortenLinksHint}
              checked={shortenLinks}
              onChange={(event) => changeForm({ shortenLinks: event.currentTarget.checked })}
            />
          </Section>
          <VariantFields
            templates={isSms ? null : (approved ?? [])}
            form={variants}
            error={error}
            onChange={(next) => {
              setVariants(next);
              setEstimate(null);
            }}
          />
          <RecipientFields
            channelRef={channelRef}
            choice={form.recipients}
            error={error}
            onChange={(recipients) => changeForm({ recipients })}
          />
          <Section title={words.stepWhen}>
            <TextInput
              type="datetime-local"
              label={words.when}
              description={words.whenHint(Intl.DateTimeFormat().resolvedOptions().timeZone)}
              {...input('at', 'scheduledAt')}
            />
          </Section>
          {estimate && <EstimateView estimate={estimate} />}
          {error && <ErrorState error={error} />}
          <Group justify="flex-end">
            {/* Both steps share one button to keep the focus; checking `detail` ignores the second click of a double click. */}
            <Button
              type={estimate ? 'button' : 'submit'}
              onClick={(event) => estimate && event.detail < 2 && mutate()}
              loading={isPending}
              disabled={estimate?.members === 0}
            >
              {!estimate ? words.check : form.at === '' ? words.start(formatNumber(estimate.messages)) : words.schedule}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
