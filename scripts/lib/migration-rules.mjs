// Finds statements of a migration that would block writers of a large table. PostgreSQL's own parser (libpg-query) parses the
// SQL. The rules follow "Explicit Locking" and "ALTER TABLE" in PostgreSQL's manual.
import { parse } from 'libpg-query';

/** Migrations before this date are not checked, because they always ran on empty tables. */
const FIRST_CHECKED = '20261122';

/** These migrations take only milliseconds, because people have typed every row of the listed tables. */
const EXEMPT_TABLES = {
  '20261122100403_send_callbacks': ['webhooks'],
  '20261122100405_account_limits': ['accounts'],
  '20261122100503_group_names': ['contact_groups'],
  '20261122140001_group_names_alike': ['contact_groups'],
  '20261122140002_import_slices': ['contact_import_jobs'],
  '20261122160001_keyword_folding': ['automations'],
  '20261129120200_earlier_echoes': ['channels'],
};

/** Partition keys of the tables that an operator may partition (docs/develop/internals.md). */
const PARTITION_KEYS = { messages: 'id' };

const CONSTRAINTS = { CONSTR_CHECK: 'CHECK', CONSTR_FOREIGN: 'FOREIGN KEY' };
const KEYS = { CONSTR_UNIQUE: 'UNIQUE', CONSTR_PRIMARY: 'PRIMARY KEY', CONSTR_EXCLUSION: 'EXCLUDE' };

/** @typedef {{ table: string, problem: string }} Finding */

/**
 * Returns the problems of a migration, and what to do instead.
 * @param {{ name: string, sql: string }} migration
 * @returns {Promise<string[]>}
 */
export async function findLongLocks({ name, sql }) {
  if (name < FIRST_CHECKED) return [];
  const statements = (await parse(sql)).stmts.map(({ stmt }) => Object.entries(stmt)[0]);
  const createdTables = new Set(
    statements.filter(([kind]) => kind === 'CreateStmt').map(([, statement]) => statement.relation.relname),
  );
  const exemptTables = new Set(EXEMPT_TABLES[name] ?? []);
  const validatable = new Set();
  return statements
    .flatMap(([kind, statement]) => [
      ...(RULES[kind]?.(statement, { isAlone: statements.length === 1, validatable }) ?? []),
      ...(PARTITION_RULES[kind]?.(statement) ?? []),
    ])
    .filter(({ table }) => !createdTables.has(table) && !exemptTables.has(table))
    .map(({ table, problem }) => `${name}: ${table}: ${problem}`);
}

/** @type {Record<string, (statement: any, context: { isAlone: boolean, validatable: Set<string> }) => Finding[]>} */
const RULES = {
  IndexStmt(statement, { isAlone }) {
    const finding = (problem) => [{ table: statement.relation.relname, problem }];
    if (!statement.concurrent) return finding('CREATE INDEX blocks writers: use CREATE INDEX CONCURRENTLY');
    if (!isAlone) return finding('CREATE INDEX CONCURRENTLY must be the only statement of its migration');
    if (!statement.if_not_exists || !statement.idxname) {
      return finding(
        'CREATE INDEX CONCURRENTLY needs a name and IF NOT EXISTS, because it is repeated if it is killed before it is recorded',
      );
    }
    return [];
  },
  DropStmt(statement, { isAlone }) {
    if (statement.removeType !== 'OBJECT_INDEX' || !statement.concurrent) return [];
    const table = statement.objects[0].List.items.at(-1).String.sval;
    if (isAlone && statement.missing_ok) return [];
    return [
      { table, problem: 'DROP INDEX CONCURRENTLY needs IF EXISTS, and must be the only statement of its migration' },
    ];
  },
  AlterTableStmt(statement, { validatable }) {
    if (statement.objtype !== 'OBJECT_TABLE') return [];
    const table = statement.relation.relname;
    return statement.cmds.flatMap(({ AlterTableCmd: command }) => {
      const problem = findAlterProblem(command, { table, validatable });
      return problem ? [{ table, problem }] : [];
    });
  },
  UpdateStmt: (statement) => reportBackfill(statement.relation.relname, 'UPDATE'),
  DeleteStmt: (statement) => reportBackfill(statement.relation.relname, 'DELETE'),
  MergeStmt: (statement) => reportBackfill(statement.relation.relname, 'MERGE'),
  LockStmt: (statement) =>
    statement.relations.map(({ RangeVar }) => ({
      table: RangeVar.relname,
      problem: 'LOCK TABLE blocks other sessions',
    })),
  VacuumStmt: () => [{ table: 'VACUUM', problem: 'is a task of the operator, not of a migration' }],
  ClusterStmt: () => [{ table: 'CLUSTER', problem: 'rewrites the table under an exclusive lock' }],
  ReindexStmt: () => [{ table: 'REINDEX', problem: 'blocks writers: create another index concurrently' }],
  RenameStmt(statement) {
    if (!['OBJECT_COLUMN', 'OBJECT_TABLE'].includes(statement.renameType)) return [];
    return [{ table: statement.relation.relname, problem: 'a rename breaks processes of the previous version' }];
  },
};

/** Rules for statements that PostgreSQL rejects for a partitioned table, or that would not affect its partitions. */
const PARTITION_RULES = {
  IndexStmt({ relation, unique, indexParams }) {
    const key = PARTITION_KEYS[relation.relname];
    if (!key || !unique || indexParams.some(({ IndexElem }) => IndexElem.name === key)) return [];
    return [{ table: relation.relname, problem: `may be partitioned by ${key}, so a unique index must contain it` }];
  },
  AlterTableStmt({ objtype, relation, cmds }) {
    const key = PARTITION_KEYS[relation.relname];
    if (objtype !== 'OBJECT_TABLE' || !key) return [];
    return cmds.flatMap(({ AlterTableCmd: { subtype, def } }) => {
      const problem = findPartitionProblem(subtype, def?.Constraint, key);
      return problem ? [{ table: relation.relname, problem: `may be partitioned by ${key}: ${problem}` }] : [];
    });
  },
};

function findPartitionProblem(subtype, constraint, key) {
  if (subtype === 'AT_SetRelOptions' || subtype === 'AT_ResetRelOptions') {
    return 'storage parameters belong to each partition, and later partitions do not inherit them';
  }
  if (subtype !== 'AT_AddConstraint') return null;
  if (constraint.contype === 'CONSTR_FOREIGN' && constraint.skip_validation) {
    return 'PostgreSQL before 18 rejects a foreign key NOT VALID on a partitioned table';
  }
  if (KEYS[constraint.contype] && constraint.indexname)
    return 'a constraint of a partitioned table cannot be added USING INDEX';
  if (KEYS[constraint.contype] && !constraint.keys?.some(({ String: column }) => column.sval === key)) {
    return `a unique key must contain ${key}`;
  }
  return null;
}

function reportBackfill(table, verb) {
  return [
    { table, problem: `one ${verb} of a large table locks its rows until it ends: let a worker do it in batches` },
  ];
}

/** @returns {string | null} */
function findAlterProblem({ subtype, def }, { table, validatable }) {
  switch (subtype) {
    case 'AT_AddColumn':
      return findColumnProblem(def.ColumnDef);
    case 'AT_AddConstraint':
      if (def.Constraint.skip_validation) validatable.add(`${table}.${def.Constraint.conname}`);
      return findConstraintProblem(def.Constraint);
    case 'AT_ValidateConstraint':
      return validatable.size > 0
        ? 'VALIDATE CONSTRAINT belongs in a later migration than the one that adds it NOT VALID'
        : null;
    case 'AT_AlterColumnType':
      return 'changing the type rewrites the table: add a new column instead';
    case 'AT_SetNotNull':
      return 'SET NOT NULL reads the table under an exclusive lock: ADD CHECK (… IS NOT NULL) NOT VALID, and validate it later';
    case 'AT_DropColumn':
      return 'dropping a column breaks processes of the previous version';
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

function findColumnProblem({ colname, typeName, constraints = [] }) {
  if (typeName.names.some(({ String: part }) => /^(big|small)?serial[248]?$/.test(part.sval))) {
    return `the column ${colname} numbers existing rows, which rewrites the table`;
  }
  const all = constraints.map(({ Constraint }) => Constraint);
  for (const constraint of all) {
    if (constraint.contype === 'CONSTR_DEFAULT' && callsFunction(constraint.raw_expr)) {
      return `the default of ${colname} is not a constant, which may rewrite the table: add the column first, and then set its default`;
    }
    if (constraint.contype === 'CONSTR_GENERATED' && constraint.generated_kind !== 'v') {
      return `the column ${colname} is generated and stored, which rewrites the table`;
    }
    if (constraint.contype === 'CONSTR_IDENTITY')
      return `the column ${colname} numbers existing rows, which rewrites the table`;
    if (CONSTRAINTS[constraint.contype] || KEYS[constraint.contype]) {
      return `the column ${colname} has a constraint that reads the table: add the constraint separately, NOT VALID or USING INDEX`;
    }
  }
  const has = (contype) => all.some((constraint) => constraint.contype === contype);
  return has('CONSTR_NOTNULL') && !has('CONSTR_DEFAULT') ? `the column ${colname} is NOT NULL without a default` : null;
}

function findConstraintProblem({ contype, skip_validation, indexname }) {
  if (CONSTRAINTS[contype] && !skip_validation) {
    return `ADD ${CONSTRAINTS[contype]} reads the table under a lock: add it NOT VALID, and VALIDATE it in a later migration`;
  }
  if (KEYS[contype] && !indexname) {
    return `ADD ${KEYS[contype]} builds its index under a lock: create it concurrently, and add the constraint USING INDEX`;
  }
  return null;
}

function callsFunction(expression) {
  return JSON.stringify(expression, (key, value) => {
    // Calls of now() need no rewrite of the table, because the time is the same for all rows.
    const isNow = key === 'FuncCall' && value.funcname.at(-1).String.sval === 'now';
    return isNow ? undefined : value;
  }).includes('"FuncCall"');
}
