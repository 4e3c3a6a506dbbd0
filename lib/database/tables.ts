import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { ExtractionKind } from '../extract/extraction.ts'
import type { RuleActions, RuleCondition } from '../rules/schema.ts'

/**
 * Every table, as Kysely sees it. Times are RFC 3339 strings in UTC with milliseconds both ways; what has a
 * default may be left out of an insert; a JSON column is read as its value and written as JSON text, because
 * the driver would send an array as a PostgreSQL array.
 */
export interface Tables {
  organizations: OrganizationsTable
  users: UsersTable
  workspaces: WorkspacesTable
  memberships: MembershipsTable
  inboxes: InboxesTable
  allowed_senders: AllowedSendersTable
  emails: EmailsTable
  email_sources: EmailSourcesTable
  email_texts: EmailTextsTable
  attachments: AttachmentsTable
  attachment_contents: AttachmentContentsTable
  extractions: ExtractionsTable
  rules: RulesTable
  rule_matches: RuleMatchesTable
  operations: OperationsTable
  idempotency_keys: IdempotencyKeysTable
  audit_events: AuditEventsTable
  webhooks: WebhooksTable
  events: EventsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  data_erasures: DataErasuresTable
  api_keys: ApiKeysTable
  credentials: CredentialsTable
  account_links: AccountLinksTable
  oauth_keys: OauthKeysTable
  oauth_clients: OauthClientsTable
  oauth_grants: OauthGrantsTable
  oauth_records: OauthRecordsTable
}

export type Role = 'admin' | 'operator' | 'viewer'
export type InboxStatus = 'active' | 'paused'
export type SenderPolicy = 'anyone' | 'allowlist'
export type EmailStatus = 'received' | 'processing' | 'processed' | 'failed' | 'rejected'
export type OperationStatus = 'queued' | 'running' | 'succeeded' | 'failed'
export type AuditOutcome = 'succeeded' | 'refused' | 'failed'
export type AuditVia = 'rest' | 'mcp' | 'system'
export type AttachmentDisposition = 'attachment' | 'inline'
export type AttachmentReading =
  | 'read'
  | 'truncated'
  | 'not_pdf'
  | 'too_large'
  | 'encrypted'
  | 'broken'
  | 'timeout'
  | 'memory'
  | 'skipped'
/** What a one-time link is for. */
export type LinkPurpose = 'invitation' | 'reset'
export type DeliveryStatus = 'pending' | 'succeeded' | 'dead'
/** Why a webhook was disabled by itself. */
export type WebhookDisabledCode = 'gone' | 'failing'

/** A mailbox of a header: `name` is null where the header gave none. */
export interface MailAddress {
  address: string
  name: string | null
}

/** A time that is always there and has `now()` as its default. */
type CreatedTime = ColumnType<string, string | undefined, string>
/** A time that may be missing. */
type OptionalTime = ColumnType<string | null, string | null | undefined, string | null>
/** A value that may be missing and is null unless given. */
type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>
/** A JSON value with a default. */
type Json<T> = ColumnType<T, string | undefined, string>
/** Written once, never changed. */
type Fixed<T> = ColumnType<T, T, never>

interface OrganizationsTable {
  id: Fixed<string>
  name: string
  created_at: CreatedTime
}

interface UsersTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  /** Lower case, unique among all organizations. */
  email: string
  name: string
  disabled_at: OptionalTime
  created_at: CreatedTime
}

interface WorkspacesTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  name: string
  version: Generated<number>
  created_at: CreatedTime
  updated_at: CreatedTime
}

interface MembershipsTable {
  user_id: Fixed<string>
  workspace_id: Fixed<string>
  organization_id: Fixed<string>
  role: Role
  version: Generated<number>
}

interface InboxesTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  /** Lower case; unique among inboxes that are not deleted, whoever owns them. */
  address: string
  name: string
  description: Optional<string>
  status: Generated<InboxStatus>
  sender_policy: Generated<SenderPolicy>
  retention_days: Optional<number>
  version: Generated<number>
  created_at: CreatedTime
  updated_at: CreatedTime
  deleted_at: OptionalTime
}

interface AllowedSendersTable {
  workspace_id: Fixed<string>
  inbox_id: Fixed<string>
  /** Lower case: an address, or `@domain`. */
  pattern: Fixed<string>
  created_at: CreatedTime
}

interface EmailsTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  inbox_id: Fixed<string>
  status: Generated<EmailStatus>
  failure_code: Optional<string>
  failure_reason: Optional<string>
  /** The Message-ID header; unique within an inbox among e-mails that are not deleted. */
  message_id: Optional<string>
  envelope_from: Optional<string>
  /** Lower case. */
  from_address: Optional<string>
  from_name: Optional<string>
  to: Json<MailAddress[]>
  cc: Json<MailAddress[]>
  subject: Optional<string>
  received_at: CreatedTime
  sent_at: OptionalTime
  size_bytes: number
  has_attachments: Generated<boolean>
  attachment_count: Generated<number>
  labels: Generated<string[]>
  read: Generated<boolean>
  version: Generated<number>
  /** Written through `toSearchVector`, asked through `matchesText` (text-search.ts); never selected. */
  text_search: ColumnType<string | null, string | null | undefined, string | null>
  created_at: CreatedTime
  updated_at: CreatedTime
  processed_at: OptionalTime
  deleted_at: OptionalTime
}

interface EmailSourcesTable {
  email_id: Fixed<string>
  workspace_id: Fixed<string>
  raw: Buffer
}

interface EmailTextsTable {
  email_id: Fixed<string>
  workspace_id: Fixed<string>
  text: Optional<string>
  html: Optional<string>
}

interface AttachmentsTable {
  id: Fixed<string>
  workspace_id: Fixed<string>
  email_id: Fixed<string>
  filename: Optional<string>
  content_type: string
  size_bytes: number
  content_id: Optional<string>
  disposition: Generated<AttachmentDisposition>
  /** 64 hexadecimal digits, lower case. */
  sha256: string
  /** Its place in the message, from 0. */
  position: number
  /** Of a PDF, whether its text was read, or why not; null for what is not read. */
  reading: Optional<AttachmentReading>
}

interface AttachmentContentsTable {
  attachment_id: Fixed<string>
  workspace_id: Fixed<string>
  content: Buffer
}

interface ExtractionsTable {
  id: Fixed<string>
  workspace_id: Fixed<string>
  email_id: Fixed<string>
  inbox_id: Fixed<string>
  kind: Fixed<ExtractionKind>
  value: Fixed<string>
  /** Of the value, made by the database: what it is looked up by. */
  value_hash: GeneratedAlways<string>
  details: Json<Record<string, unknown>>
  source: 'text' | 'html' | 'attachment'
  attachment_id: Optional<string>
  found_offset: number
  found_length: number
  excerpt: Optional<string>
  /** Of a boleto that carries one: YYYY-MM-DD. */
  due_on: Optional<string>
  /** Its place among those of its e-mail, from 0. */
  position: number
  found_at: CreatedTime
}

interface RulesTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  /** The caller's own; unique in its workspace. */
  key: Fixed<string>
  name: string
  description: Optional<string>
  enabled: Generated<boolean>
  /** Lower ones are tried first. */
  priority: Generated<number>
  stop: Generated<boolean>
  match: Generated<'all' | 'any'>
  conditions: Json<RuleCondition[]>
  actions: Json<RuleActions>
  matched_count: Generated<number>
  last_matched_at: OptionalTime
  version: Generated<number>
  created_at: CreatedTime
  updated_at: CreatedTime
}

interface RuleMatchesTable {
  workspace_id: Fixed<string>
  rule_id: Fixed<string>
  email_id: Fixed<string>
  /** When its `rule.matched` was published; null while the rule does not notify. */
  notified_at: OptionalTime
  matched_at: CreatedTime
}

interface OperationsTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  kind: Fixed<string>
  status: Generated<OperationStatus>
  email_id: Optional<string>
  resource_type: Optional<string>
  resource_id: Optional<string>
  error_code: Optional<string>
  error_detail: Optional<string>
  /** The user who asked for it; null where the system did. */
  created_by: Optional<string>
  created_at: CreatedTime
  started_at: OptionalTime
  finished_at: OptionalTime
}

interface IdempotencyKeysTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Optional<string>
  user_id: Fixed<string>
  /** The token's client; the empty string where it names none. */
  client_id: Fixed<string>
  key: Fixed<string>
  fingerprint: string
  status: number
  headers: Json<Record<string, string>>
  body: Optional<string>
  created_at: CreatedTime
  expires_at: string
}

interface WebhooksTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  url: string
  description: Optional<string>
  event_types: string[]
  enabled: Generated<boolean>
  disabled_code: Optional<WebhookDisabledCode>
  disabled_at: OptionalTime
  /** The first failed attempt since the last one that succeeded. */
  failing_since: OptionalTime
  /** Sealed, see lib/secrets. */
  secret: string
  previous_secret: Optional<string>
  previous_secret_until: OptionalTime
  version: Generated<number>
  created_at: CreatedTime
  updated_at: CreatedTime
  deleted_at: OptionalTime
}

interface EventsTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  type: Fixed<string>
  /** Names the happening: unique within a workspace. */
  key: Fixed<string>
  email_id: Optional<string>
  data: Json<Record<string, unknown>>
  created_at: CreatedTime
}

interface DeliveriesTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  webhook_id: Fixed<string>
  event_id: Fixed<string>
  event_type: Fixed<string>
  status: Generated<DeliveryStatus>
  failure_code: Optional<string>
  attempt_count: Generated<number>
  next_attempt_at: OptionalTime
  created_at: CreatedTime
  finished_at: OptionalTime
}

interface DeliveryAttemptsTable {
  workspace_id: Fixed<string>
  delivery_id: Fixed<string>
  /** From 1. */
  number: Fixed<number>
  /** The HTTP status; null where no answer came. */
  status: Optional<number>
  latency_ms: number
  response_excerpt: Optional<string>
  /** Null where it succeeded. */
  error_code: Optional<string>
  attempted_at: string
}

interface DataErasuresTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  subject_kind: Fixed<'address' | 'document'>
  /** Whose data; null as soon as it is done. */
  subject: Optional<string>
  /** The e-mail up to which, in the order of ids, everything is searched; empty at first. */
  searched_to: Generated<string>
  emails: Generated<number>
  bytes: Generated<number>
  created_at: CreatedTime
  finished_at: OptionalTime
}

interface ApiKeysTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  workspace_id: Fixed<string>
  user_id: Fixed<string>
  name: Fixed<string>
  /** SHA-256 of the key, in 64 hexadecimal digits; the key itself is stored nowhere. */
  hash: Fixed<string>
  /** How the key begins. */
  hint: Fixed<string>
  scopes: Fixed<string[]>
  created_at: CreatedTime
  expires_at: Fixed<string>
  last_used_at: OptionalTime
  revoked_at: OptionalTime
}

interface CredentialsTable {
  user_id: Fixed<string>
  organization_id: Fixed<string>
  /** As `hashPassword` makes it. */
  hash: string
  changed_at: CreatedTime
  /** How often the person's logins were ended; only `end_access` counts. */
  logins_ended: Generated<number>
}

interface AccountLinksTable {
  /** SHA-256 of the link's token, in 64 hexadecimal digits; the token itself is stored nowhere. */
  hash: Fixed<string>
  organization_id: Fixed<string>
  user_id: Fixed<string>
  purpose: Fixed<LinkPurpose>
  /** Null where a command made it. */
  created_by: Optional<string>
  created_at: CreatedTime
  expires_at: Fixed<string>
}

/** The pairs of keys that the built-in authorization server signs with. */
interface OauthKeysTable {
  /** The key id of tokens. */
  id: Fixed<string>
  /** The private key as a JWK, sealed. */
  sealed: string
  created_at: CreatedTime
  /** From when on it signs; until then it is only published. */
  active_from: Fixed<string>
}

/** Clients that registered themselves. */
interface OauthClientsTable {
  id: Fixed<string>
  /** RFC 7591 metadata, without the secret. */
  data: Json<Record<string, unknown>>
  /** Sealed; null for clients without one. */
  secret: Optional<string>
  created_at: CreatedTime
  /** When somebody last consented or a token was renewed; null for a client that nobody used. */
  last_used_at: OptionalTime
}

/** What people consented to. */
interface OauthGrantsTable {
  id: Fixed<string>
  user_id: Fixed<string>
  client_id: Fixed<string>
  /** Where the client acts unless it names a workspace. */
  workspace_id: Optional<string>
  data: Json<Record<string, unknown>>
  created_at: CreatedTime
  expires_at: string
}

/** Codes, refresh tokens, sessions and interactions. */
interface OauthRecordsTable {
  model: Fixed<string>
  /** SHA-256 of the id, which itself is stored nowhere: whoever knows it is let in. */
  id_hash: Fixed<string>
  user_id: Optional<string>
  grant_id: Optional<string>
  /** Of a session: what other records call it by; it opens nothing. */
  session_uid: Optional<string>
  data: Json<Record<string, unknown>>
  consumed_at: OptionalTime
  expires_at: string
}

interface AuditEventsTable {
  id: Fixed<string>
  organization_id: Fixed<string>
  /** Null for what was done to the organization, or before a workspace was known. */
  workspace_id: Optional<string>
  /** The organization of an event without a workspace, for its reference. */
  organization_level_id: GeneratedAlways<string | null>
  occurred_at: CreatedTime
  /** The user; null for the system. */
  actor_id: Optional<string>
  client_id: Optional<string>
  client_name: Optional<string>
  client_version: Optional<string>
  via: AuditVia
  /** The operation's id, or the system's own word such as `retention.purge`. */
  action: string
  resource_type: Optional<string>
  resource_id: Optional<string>
  outcome: AuditOutcome
  code: Optional<string>
  status: Optional<number>
  replayed: Generated<boolean>
  counts: ColumnType<Record<string, number> | null, string | null | undefined, string | null>
  request_id: Optional<string>
}
