import type { ColumnType, Generated } from 'kysely'

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
  operations: OperationsTable
  idempotency_keys: IdempotencyKeysTable
}

export type Role = 'admin' | 'operator' | 'viewer'
export type InboxStatus = 'active' | 'paused'
export type SenderPolicy = 'anyone' | 'allowlist'
export type EmailStatus = 'received' | 'processing' | 'processed' | 'failed' | 'rejected'
export type OperationStatus = 'queued' | 'running' | 'succeeded' | 'failed'
export type AttachmentDisposition = 'attachment' | 'inline'

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
}

interface AttachmentContentsTable {
  attachment_id: Fixed<string>
  workspace_id: Fixed<string>
  content: Buffer
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
