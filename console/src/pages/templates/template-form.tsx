import {
  Button,
  Checkbox,
  Fieldset,
  Grid,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ChannelPlace } from '../../api/inbox.js';
import { problemsOf } from '../../api/request.js';
import { createTemplate, editTemplate, type Template } from '../../api/templates.js';
import { TemplatePreview } from '../../parts/templates/template-preview.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { ButtonsField } from './buttons-field.js';
import { type DraftFields, draftOf, EMPTY, fieldsOf, problemsOfDraft, slotsOfFields } from './draft.js';

const BODY_LIMIT = 1024;
const words = text.templates;
const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

interface TemplateFormProps {
  place: ChannelPlace;
  /** The one that is edited; a new one without. */
  template?: Template | undefined;
  onDone(): void;
}

/** Drafts a template, or edits one, with Meta's rules beside the fields and the preview beside all. */
export function TemplateForm({ place, template, onDone }: TemplateFormProps) {
  const client = useQueryClient();
  // As it was when the form was opened: the page looks at the templates again and again.
  const [version] = useState(template?.version);
  const [fields, setFields] = useState<DraftFields>(() => (template ? fieldsOf(template) : EMPTY));
  // A rule is told once a field was left, not while it is still empty.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const set = (changes: Partial<DraftFields>) => setFields((last) => ({ ...last, ...changes }));
  const draft = draftOf(fields);
  const saving = useMutation({
    mutationFn: () =>
      template
        ? editTemplate(
            place.accountId,
            place.channelId,
            { id: template.id, version: version ?? template.version },
            draft,
          )
        : createTemplate(place.accountId, place.channelId, draft),
    onSuccess: async ({ name }) => {
      notify(words.handedIn(name));
      await client.invalidateQueries({ queryKey: ['templates', place.accountId] });
      onDone();
    },
  });
  const rules = { ...problemsOf(saving.error), ...problemsOfDraft(draft) };
  const error = (field: string) => (tried || left.has(field) ? rules[field] : undefined);
  const onBlur = (field: string) => () => setLeft((last) => new Set(last).add(field));
  const indexOf = (type: string) => draft.components.findIndex((each) => each.type === type);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problemsOfDraft(draft)).length === 0) saving.mutate();
  };
  const isCode = fields.category === 'AUTHENTICATION';
  const textOf = (type: string) => `components[${indexOf(type)}].text`;
  /** @param path of the field in the template, by which its problems are told */
  const input = (
    field: 'name' | 'language' | 'headerText' | 'body' | 'footer',
    path: string,
    write = (value: string) => value,
  ) => ({
    value: fields[field],
    error: error(path),
    onBlur: onBlur(path),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [field]: write(value) }),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            {saving.error && <ErrorState error={saving.error} />}
            {template && (
              <Text size="sm" c="dimmed">
                {words.editHint}
              </Text>
            )}
            {!template && (
              <Group grow align="flex-start">
                <TextInput
                  label={words.name}
                  description={words.nameHint}
                  required
                  {...input('name', 'name', (value) => value.toLowerCase().replaceAll(/\s/g, '_'))}
                  data-autofocus
                />
                <TextInput
                  label={words.language}
                  description={words.languageHint}
                  required
                  {...input('language', 'language')}
                />
              </Group>
            )}
            <Select
              label={words.category}
              description={template?.status === 'APPROVED' ? words.categoryFixed : undefined}
              disabled={template?.status === 'APPROVED'}
              allowDeselect={false}
              data={optionsOf(words.categories)}
              value={fields.category}
              onChange={(value) => value && set({ category: value as DraftFields['category'] })}
            />
            {isCode ? (
              <CodeFields
                fields={fields}
                set={set}
                problem={rules[`components[${indexOf('FOOTER')}].code_expiration_minutes`]}
              />
            ) : (
              <>
                <Select
                  label={words.header}
                  allowDeselect={false}
                  data={[{ value: 'NONE', label: words.noHeader }, ...optionsOf(words.formats)]}
                  value={fields.headerFormat}
                  onChange={(value) => value && set({ headerFormat: value as DraftFields['headerFormat'] })}
                />
                {fields.headerFormat === 'TEXT' && (
                  <TextInput
                    label={words.headerText}
                    description={words.headerHint}
                    required
                    {...input('headerText', textOf('HEADER'))}
                  />
                )}
                <Textarea
                  label={words.body}
                  description={words.bodyHint(formatNumber(BODY_LIMIT - [...fields.body].length))}
                  required
                  autosize
                  minRows={4}
                  {...input('body', textOf('BODY'))}
                />
                <TextInput label={words.footer} description={words.footerHint} {...input('footer', textOf('FOOTER'))} />
                <ButtonsField
                  buttons={fields.buttons}
                  onChange={(buttons) => set({ buttons })}
                  problemOf={(path) => error(`components[${indexOf('BUTTONS')}].buttons${path}`)}
                  onLeft={(path) => onBlur(`components[${indexOf('BUTTONS')}].buttons${path}`)()}
                />
                <Examples fields={fields} set={set} />
              </>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onDone}>
                {text.common.cancel}
              </Button>
              <Button type="submit" loading={saving.isPending}>
                {words.submit}
              </Button>
            </Group>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TemplatePreview
            components={isCode ? codePreview(fields) : (draft.components as unknown as Record<string, unknown>[])}
            values={fields.examples}
          />
        </Grid.Col>
      </Grid>
    </form>
  );
}

interface PartProps {
  fields: DraftFields;
  set(changes: Partial<DraftFields>): void;
}

function CodeFields({ fields, set, problem }: PartProps & { problem: string | undefined }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {words.authHint}
      </Text>
      <Checkbox
        label={words.advice}
        checked={fields.advice}
        onChange={({ currentTarget: { checked } }) => set({ advice: checked })}
      />
      <NumberInput
        label={words.expires}
        min={1}
        max={90}
        allowDecimal={false}
        value={fields.expires}
        error={problem}
        onChange={(value) => set({ expires: Number(value) })}
      />
    </>
  );
}

function Examples({ fields, set }: PartProps) {
  const slots = slotsOfFields(fields);
  if (slots.length === 0) return null;
  return (
    <Fieldset legend={words.exampleHint}>
      <Stack gap="xs">
        {slots.map(({ id, prefix, key }) => (
          <TextInput
            key={id}
            label={words.example(words.slot(placeOf(prefix), key))}
            value={fields.examples[id] ?? ''}
            onChange={({ currentTarget: { value } }) => set({ examples: { ...fields.examples, [id]: value } })}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

function placeOf(prefix: string): string {
  if (prefix === 'header' || prefix === 'body') return words.parts[prefix];
  return words.buttonNo(Number(prefix.slice('button'.length)) + 1);
}

/** Meta's own English words, as the server holds them until a sync. */
function codePreview({ advice, expires }: DraftFields) {
  const body = '*{{1}}* is your verification code.';
  return [
    { type: 'BODY', text: advice ? `${body} For your security, do not share this code.` : body },
    { type: 'FOOTER', text: `This code expires in ${expires} minutes.` },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', text: words.copyCode }] },
  ];
}
