import { Button, Grid, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { listFieldProblems } from '../../api/client/request.js';
import { createTemplate, editTemplate, type Template } from '../../api/templates.js';
import { TemplatePreview } from '../../shared/templates/template-preview.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { CardsField, copyLastCard } from './cards-field.js';
import { CodeFields, codePreview } from './code-fields.js';
import { buildDraft, validateDraft } from './draft.js';
import { type DraftFields, EMPTY, newButton, toFields } from './draft-fields.js';
import { ExampleTexts } from './example-texts.js';
import { MessageFields } from './message-fields.js';
import classes from './templates.module.css';

const words = text.templates;
const toOptions = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

interface TemplateFormProps {
  channelRef: ChannelRef;
  template?: Template | undefined;
  onDone(): void;
}

export function TemplateForm({ channelRef, template, onDone }: TemplateFormProps) {
  const client = useQueryClient();
  // The form keeps the version with which it was opened, because the page refetches the templates regularly.
  const [version] = useState(template?.version);
  const [fields, setFields] = useState<DraftFields>(() => (template ? toFields(template) : EMPTY));
  // Errors are shown only after a field has lost the focus.
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [isSubmitted, setIsSubmitted] = useState(false);
  const [pictures, setPictures] = useState<Readonly<Record<string, string>>>({});
  const set = (changes: Partial<DraftFields>) => setFields((last) => ({ ...last, ...changes }));
  const draft = buildDraft(fields);
  const saving = useMutation({
    mutationFn: () =>
      template
        ? editTemplate(
            channelRef.accountId,
            channelRef.channelId,
            { id: template.id, version: version ?? template.version },
            draft,
          )
        : createTemplate(channelRef.accountId, channelRef.channelId, draft),
    onSuccess: async ({ name }) => {
      notify(words.submitted(name));
      await client.invalidateQueries({ queryKey: ['templates', channelRef.accountId] });
      onDone();
    },
  });
  const problems = { ...listFieldProblems(saving.error), ...validateDraft(draft) };
  const getProblem = (field: string) => (isSubmitted || visited.has(field) ? problems[field] : undefined);
  const markVisited = (field: string) => setVisited((last) => new Set(last).add(field));
  const toFieldPath = (type: string, path: string) => {
    const index = draft.components.findIndex((component) => component.type === type);
    // Errors about a missing component have the path `components`, without an index.
    return index < 0 ? 'components' : `components[${index}].${path}`;
  };
  const parts = {
    ...{ channelRef, fields, set },
    getProblem: (type: string, path: string) => getProblem(toFieldPath(type, path)),
    onFieldBlur: (type: string, path: string) => markVisited(toFieldPath(type, path)),
    onPicture: (slot: string, picture: string | null) =>
      setPictures(({ [slot]: _last, ...rest }) => (picture === null ? rest : { ...rest, [slot]: picture })),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (Object.keys(validateDraft(draft)).length === 0) saving.mutate();
  };
  const isCode = fields.category === 'AUTHENTICATION';
  const input = (field: 'name' | 'language', write = (value: string) => value) => ({
    required: true,
    value: fields[field],
    error: getProblem(field),
    onBlur: () => markVisited(field),
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
                  {...input('name', (value) => value.toLowerCase().replaceAll(/\s/g, '_'))}
                  data-autofocus
                />
                <TextInput label={words.language} description={words.languageHint} {...input('language')} />
              </Group>
            )}
            <Select
              label={words.category}
              description={template?.status === 'APPROVED' ? words.categoryFixed : undefined}
              disabled={template?.status === 'APPROVED'}
              allowDeselect={false}
              data={toOptions(words.categories)}
              value={fields.category}
              error={getProblem('category')}
              onChange={(value) => value && set(changeCategory(fields, value as DraftFields['category']))}
            />
            {fields.category === 'MARKETING' && (
              <Select
                label={words.layout}
                allowDeselect={false}
                data={toOptions(words.layouts)}
                value={fields.layout}
                onChange={(value) => value && set(changeLayout(fields, value as DraftFields['layout']))}
              />
            )}
            {isCode && <CodeFields {...parts} />}
            {!isCode && <MessageFields {...parts} />}
            {!isCode && fields.layout === 'CAROUSEL' && (
              <CardsField
                {...parts}
                getProblem={(path) => parts.getProblem('CAROUSEL', `cards${path}`)}
                onFieldBlur={(path) => parts.onFieldBlur('CAROUSEL', `cards${path}`)}
              />
            )}
            {!isCode && <ExampleTexts fields={fields} set={set} />}
            {getProblem('components') && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {getProblem('components')}
              </Text>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <div className={classes.beside}>
            <TemplatePreview
              components={isCode ? codePreview(fields) : (draft.components as unknown as Record<string, unknown>[])}
              values={fields.examples}
              pictures={pictures}
            />
          </div>
        </Grid.Col>
      </Grid>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onDone}>
          {text.common.cancel}
        </Button>
        <Button type="submit" loading={saving.isPending}>
          {words.submit}
        </Button>
      </Group>
    </form>
  );
}

/** Only marketing templates can have offers and carousels. */
function changeCategory({ layout }: DraftFields, category: DraftFields['category']): Partial<DraftFields> {
  return { category, layout: category === 'MARKETING' ? layout : 'PLAIN' };
}

function changeLayout({ cards, headerFormat, buttons }: DraftFields, layout: DraftFields['layout']) {
  const first = copyLastCard(cards);
  const isFile = headerFormat === 'IMAGE' || headerFormat === 'VIDEO';
  return {
    layout,
    ...(layout === 'CAROUSEL' && cards.length === 0 && { cards: [first, copyLastCard([first])] }),
    ...(layout === 'OFFER' && !isFile && { headerFormat: 'NONE' as const }),
    ...(layout === 'OFFER' &&
      buttons.length === 0 && { buttons: [newButton({ type: 'COPY_CODE' }), newButton({ type: 'URL' })] }),
  };
}
