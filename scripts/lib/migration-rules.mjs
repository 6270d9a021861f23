// Finds statements of a migration that would block writers of a filled table. Parses SQL with PostgreSQL's own parser (libpg-query). See
// "Explicit Locking" and "ALTER TABLE" in PostgreSQL's manual.
import { parse } from 'libpg-query';

/** Earlier migrations run on empty tables. */
const FIRST_FILLED = '20261122';

/** Allowed: these tables contain what people typed, so the statements take milliseconds. */
const LET_BE = {
  '20261122100403_send_callbacks': ['webhooks'],
  '20261122100405_account_limits': ['accounts'],
  '20261122100503_group_names': ['contact_groups'],
  '20261122140001_group_names_alike': ['contact_groups'],
  '20261122140002_import_slices': ['contact_import_jobs'],
  '20261122160001_keyword_folding': ['automations'],
  '20261129120200_earlier_echoes': ['channels'],
};

/** Tables that an installation may have partitioned, with the key (docs/upgrading.md). */
const DIVISIBLE = { messages: 'id' };

const CONSTRAINTS = { CONSTR_CHECK: 'CHECK', CONSTR_FOREIGN: 'FOREIGN KEY' };
const KEYS = { CONSTR_UNIQUE: 'UNIQUE', CONSTR_PRIMARY: 'PRIMARY KEY', CONSTR_EXCLUSION: 'EXCLUDE' };

/** @typedef {{ table: string, problem: string }} Finding */

/**
 * @param {{ name: string, sql: string }} migration
 * @returns {Promise<string[]>} problems, each with what to do instead
 */
export async function findLongLocks({ name, sql }) {
  if (name < FIRST_FILLED) return [];
  const statements = (await parse(sql)).stmts.map(({ stmt }) => Object.entries(stmt)[0]);
  const made = new Set(
    statements.filter(([kind]) => kind === 'CreateStmt').map(([, statement]) => statement.relation.relname),
  );
  const letBe = new Set(LET_BE[name] ?? []);
  const validatable = new Set();
  return statements
    .flatMap(([kind, statement]) => [
      ...(RULES[kind]?.(statement, { alone: statements.length === 1, validatable }) ?? []),
      ...(DIVIDED_RULES[kind]?.(statement) ?? []),
    ])
    .filter(({ table }) => !made.has(table) && !letBe.has(table))
    .map(({ table, problem }) => `${name}: ${table}: ${problem}`);
}

/** @type {Record<string, (statement: any, context: { alone: boolean, validatable: Set<string> }) => Finding[]>} */
const RULES = {
  IndexStmt(statement, { alone }) {
    const finding = (problem) => [{ table: statement.relation.relname, problem }];
    if (!statement.concurrent)
      return finding('an index shuts writers out while it is made: use CREATE INDEX CONCURRENTLY');
    if (!alone) return finding('CREATE INDEX CONCURRENTLY must be the only statement of its migration');
    if (!statement.if_not_exists || !statement.idxname) {
      return finding(
        'CREATE INDEX CONCURRENTLY needs a name and IF NOT EXISTS, for it may have been killed before its note',
      );
    }
    return [];
  },
  DropStmt(statement, { alone }) {
    if (statement.removeType !== 'OBJECT_INDEX' || !statement.concurrent) return [];
    const table = statement.objects[0].List.items.at(-1).String.sval;
    if (alone && statement.missing_ok) return [];
    return [
      { table, problem: 'DROP INDEX CONCURRENTLY needs IF EXISTS, and must be the only statement of its migration' },
    ];
  },
  AlterTableStmt(statement, { validatable }) {
    if (statement.objtype !== 'OBJECT_TABLE') return [];
    const table = statement.relation.relname;
    return statement.cmds.flatMap(({ AlterTableCmd: command }) => {
      const problem = alterProblem(command, { table, validatable });
      return problem ? [{ table, problem }] : [];
    });
  },
  UpdateStmt: (statement) => backfill(statement.relation.relname, 'UPDATE'),
  DeleteStmt: (statement) => backfill(statement.relation.relname, 'DELETE'),
  MergeStmt: (statement) => backfill(statement.relation.relname, 'MERGE'),
  LockStmt: (statement) =>
    statement.relations.map(({ RangeVar }) => ({ table: RangeVar.relname, problem: 'LOCK TABLE shuts others out' })),
  VacuumStmt: () => [{ table: 'VACUUM', problem: 'belongs to the operator, not into a migration' }],
  ClusterStmt: () => [{ table: 'CLUSTER', problem: 'rewrites the table under an exclusive lock' }],
  ReindexStmt: () => [{ table: 'REINDEX', problem: 'shuts writers out: make another index concurrently' }],
  RenameStmt(statement) {
    if (!['OBJECT_COLUMN', 'OBJECT_TABLE'].includes(statement.renameType)) return [];
    return [{ table: statement.relation.relname, problem: 'a rename breaks the processes of the version before' }];
  },
};

/** Statements that PostgreSQL refuses for a partitioned table, or that would not reach its partitions. */
const DIVIDED_RULES = {
  IndexStmt({ relation, unique, indexParams }) {
    const key = DIVISIBLE[relation.relname];
    if (!key || !unique || indexParams.some(({ IndexElem }) => IndexElem.name === key)) return [];
    return [{ table: relation.relname, problem: `may be divided by ${key}, so a unique index must hold it` }];
  },
  AlterTableStmt({ objtype, relation, cmds }) {
    const key = DIVISIBLE[relation.relname];
    if (objtype !== 'OBJECT_TABLE' || !key) return [];
    return cmds.flatMap(({ AlterTableCmd: { subtype, def } }) => {
      const problem = dividedProblem(subtype, def?.Constraint, key);
      return problem ? [{ table: relation.relname, problem: `may be divided by ${key}: ${problem}` }] : [];
    });
  },
};

function dividedProblem(subtype, constraint, key) {
  if (subtype === 'AT_SetRelOptions' || subtype === 'AT_ResetRelOptions') {
    return 'storage parameters belong to each partition, and those that are made later do not get them';
  }
  if (subtype !== 'AT_AddConstraint') return null;
  if (constraint.contype === 'CONSTR_FOREIGN' && constraint.skip_validation) {
    return 'PostgreSQL before 18 takes no foreign key NOT VALID there';
  }
  if (KEYS[constraint.contype] && constraint.indexname) return 'a rule cannot be added USING INDEX there';
  if (KEYS[constraint.contype] && !constraint.keys?.some(({ String: column }) => column.sval === key)) {
    return `a unique key must hold ${key}`;
  }
  return null;
}

function backfill(table, verb) {
  return [
    { table, problem: `one ${verb} of a filled table locks its rows until the end: let a worker do it in slices` },
  ];
}

/** @returns {string | null} */
function alterProblem({ subtype, def }, { table, validatable }) {
  switch (subtype) {
    case 'AT_AddColumn':
      return columnProblem(def.ColumnDef);
    case 'AT_AddConstraint':
      if (def.Constraint.skip_validation) validatable.add(`${table}.${def.Constraint.conname}`);
      return constraintProblem(def.Constraint);
    case 'AT_ValidateConstraint':
      return validatable.size > 0
        ? 'VALIDATE CONSTRAINT belongs into a migration after that which adds it NOT VALID'
        : null;
    case 'AT_AlterColumnType':
      return 'another type rewrites the table: add a column beside it';
    case 'AT_SetNotNull':
      return 'SET NOT NULL reads the table under an exclusive lock: ADD CHECK (… IS NOT NULL) NOT VALID, and validate it later';
    case 'AT_DropColumn':
      return 'a column that is dropped breaks the processes of the version before';
    case 'AT_SetLogged':
    case 'AT_SetUnLogged':
    case 'AT_SetTableSpace':
    case 'AT_SetAccessMethod':
    case 'AT_AddIdentity':
      return 'rewrites the table under an exclusive lock';
    default:
      return null;
  }
}

function columnProblem({ colname, typeName, constraints = [] }) {
  if (typeName.names.some(({ String: part }) => /^(big|small)?serial[248]?$/.test(part.sval))) {
    return `the column ${colname} numbers the rows, which rewrites the table`;
  }
  const all = constraints.map(({ Constraint }) => Constraint);
  for (const constraint of all) {
    if (constraint.contype === 'CONSTR_DEFAULT' && callsFunction(constraint.raw_expr)) {
      return `the default of ${colname} is no constant, which may rewrite the table: add the column without it, and set it then`;
    }
    if (constraint.contype === 'CONSTR_GENERATED' && constraint.generated_kind !== 'v') {
      return `the column ${colname} is generated and stored, which rewrites the table`;
    }
    if (constraint.contype === 'CONSTR_IDENTITY')
      return `the column ${colname} numbers the rows, which rewrites the table`;
    if (CONSTRAINTS[constraint.contype] || KEYS[constraint.contype]) {
      return `the column ${colname} comes with a rule that reads the table: add the rule by itself, NOT VALID or by an index`;
    }
  }
  const has = (contype) => all.some((constraint) => constraint.contype === contype);
  return has('CONSTR_NOTNULL') && !has('CONSTR_DEFAULT') ? `the column ${colname} is NOT NULL without a default` : null;
}

function constraintProblem({ contype, skip_validation, indexname }) {
  if (CONSTRAINTS[contype] && !skip_validation) {
    return `ADD ${CONSTRAINTS[contype]} reads the table under a lock: add it NOT VALID, and VALIDATE it in a later migration`;
  }
  if (KEYS[contype] && !indexname) {
    return `ADD ${KEYS[contype]} makes its index under a lock: make it concurrently, and add the rule USING INDEX`;
  }
  return null;
}

function callsFunction(expression) {
  return JSON.stringify(expression, (key, value) => {
    // now() is the same for all rows, so it needs no rewrite.
    const isNow = key === 'FuncCall' && value.funcname.at(-1).String.sval === 'now';
    return isNow ? undefined : value;
  }).includes('"FuncCall"');
}
