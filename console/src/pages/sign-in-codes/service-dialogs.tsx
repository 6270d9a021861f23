import { Alert, Button, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addService,
  type CreatedSignInService,
  type NewSignInService,
  type SignInService,
  servicesQuery,
  setServiceSecret,
} from '../../api/sign-in-codes.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.signInCodes;
type ServiceType = SignInService['type'];
const TYPES = Object.entries(words.types).map(([value, label]) => ({ value, label }));

export function NewService({ accountId, onClose }: { accountId: string; onClose(): void }) {
  const client = useQueryClient();
  const channels = (useAccount()?.channels ?? []).filter(({ kind }) => kind === 'whatsapp');
  const [createdService, setCreated] = useState<CreatedSignInService | null>(null);
  const [type, setType] = useState<ServiceType>('supabase');
  const [draft, setDraft] = useState({ appName: '', sender: '', locale: '', template: '', secret: '' });
  const [whatsappFrom, setWhatsappFrom] = useState<string | null>(null);
  const setDraftField = (name: keyof typeof draft) => (value: string) =>
    setDraft((before) => ({ ...before, [name]: value }));
  const isHook = type !== 'verify';
  const submit = async () => {
    const { appName, sender, locale, template, secret } = draft;
    const body: NewSignInService = {
      type,
      appName,
      sender,
      ...(locale !== '' && { locale }),
      ...(whatsappFrom !== null && { whatsappFrom, template }),
      ...(isHook && secret !== '' && { secret }),
    };
    setCreated(await addService(accountId, body));
    await client.invalidateQueries({ queryKey: servicesQuery(accountId).queryKey });
  };
  if (createdService) return <CreatedService service={createdService} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title={words.add}
      fields={['appName', 'sender', 'locale', 'template', 'secret']}
      onSubmit={submit}
      onDone={() => undefined}
    >
      {(_problem, field) => (
        <>
          <Select
            label={words.type}
            allowDeselect={false}
            data={TYPES}
            value={type}
            onChange={(value) => setType(value as ServiceType)}
          />
          <TextField
            label={words.appName}
            description={words.appNameHint}
            required
            {...field('appName', draft.appName, setDraftField('appName'))}
          />
          <TextField label={words.sender} required {...field('sender', draft.sender, setDraftField('sender'))} />
          <TextField
            label={words.locale}
            description={words.localeHint}
            {...field('locale', draft.locale, setDraftField('locale'))}
          />
          {channels.length > 0 && (
            <Select
              label={words.whatsappFrom}
              placeholder={words.whatsappNone}
              clearable
              data={channels.map(({ name, phoneNumber }) => ({
                value: phoneNumber,
                label: `${name} (+${phoneNumber})`,
              }))}
              value={whatsappFrom}
              onChange={setWhatsappFrom}
            />
          )}
          {whatsappFrom !== null && (
            <TextField
              label={words.template}
              required
              {...field('template', draft.template, setDraftField('template'))}
            />
          )}
          {isHook && (
            <TextField
              label={words.existingSecret}
              description={type === 'zitadel' ? words.zitadelHint : words.existingSecretHint}
              {...field('secret', draft.secret, setDraftField('secret'))}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

export function NewSecret({
  accountId,
  service,
  onClose,
}: {
  accountId: string;
  service: SignInService;
  onClose(): void;
}) {
  const client = useQueryClient();
  const [renewedService, setRenewed] = useState<CreatedSignInService | null>(null);
  const [secret, setSecret] = useState('');
  const submit = async () => {
    setRenewed(await setServiceSecret(accountId, service.id, secret));
    await client.invalidateQueries({ queryKey: servicesQuery(accountId).queryKey });
  };
  if (renewedService) return <CreatedService service={renewedService} title={words.renewed} onClose={onClose} />;
  return (
    <FormDialog
      onClose={onClose}
      title={words.newSecret}
      fields={['secret']}
      onSubmit={submit}
      onDone={() => undefined}
    >
      {(_problem, field) => (
        <>
          <Text size="sm">{words.newSecretLead}</Text>
          <TextField
            label={words.existingSecret}
            description={words.existingSecretHint}
            {...field('secret', secret, setSecret)}
          />
        </>
      )}
    </FormDialog>
  );
}

interface CreatedServiceProps {
  service: CreatedSignInService;
  title?: string;
  onClose(): void;
}

function CreatedService({ service, title, onClose }: CreatedServiceProps) {
  const { serviceSid, path, secret } = service;
  return (
    <SecretModal
      holdsSecret={secret !== null}
      opened
      onClose={onClose}
      title={title ?? (serviceSid === null ? words.hookAdded : words.serviceAdded)}
      size="lg"
    >
      <Stack gap="sm">
        {serviceSid === null ? (
          <CopyField label={words.url} value={`${window.location.origin}${path}`} />
        ) : (
          <CopyField label={words.serviceSid} value={serviceSid} />
        )}
        {secret !== null && (
          <Alert color="green" variant="light" icon={<Icon name="key" />} title={words.secretOnce}>
            <CopyField label={words.secret} value={secret} />
          </Alert>
        )}
        {serviceSid === null && secret === null && <Text size="sm">{words.secretLater}</Text>}
        <Button onClick={onClose} fullWidth>
          {text.common.done}
        </Button>
      </Stack>
    </SecretModal>
  );
}
