-- What the migrations make, for reading: nothing is ever made from this file.
-- A test keeps it true and, with UPDATE_SNAPSHOTS=1, writes it.

CREATE SCHEMA accounts;

CREATE SCHEMA brands;

CREATE SCHEMA capture;

CREATE SCHEMA queue;

CREATE SCHEMA storage;

CREATE TABLE accounts.workspace (
    id bigint NOT NULL,
    name text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workspace_name_check CHECK ((name <> ''::text))
);

ALTER TABLE accounts.workspace ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME accounts.workspace_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brands.brand (
    workspace_id bigint NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL,
    folded text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    domains text[] DEFAULT '{}'::text[] NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT brand_name_check CHECK ((name <> ''::text))
);

ALTER TABLE brands.brand ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME brands.brand_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brands.competitor (
    workspace_id bigint NOT NULL,
    brand_id bigint NOT NULL,
    competitor_id bigint NOT NULL,
    CONSTRAINT competitor_check CHECK ((competitor_id <> brand_id))
);

CREATE TABLE capture.answer (
    workspace_id bigint NOT NULL,
    capture_id bigint NOT NULL,
    attempt_id bigint NOT NULL,
    text text NOT NULL,
    model text NOT NULL,
    searched boolean NOT NULL,
    queries text[] DEFAULT '{}'::text[] NOT NULL,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    took interval NOT NULL,
    answered_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY capture.answer ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE capture.attempt (
    workspace_id bigint NOT NULL,
    id bigint NOT NULL,
    capture_id bigint NOT NULL,
    number integer NOT NULL,
    round integer NOT NULL,
    state text DEFAULT 'sending'::text NOT NULL,
    model text NOT NULL,
    engine_ref text,
    sent_at timestamp with time zone DEFAULT now() NOT NULL,
    call_until timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    ended_at timestamp with time zone,
    error_class text,
    error text,
    usage jsonb,
    cost numeric(14,8),
    currency text,
    cost_source text,
    possibly_paid boolean DEFAULT false NOT NULL,
    status integer,
    headers jsonb,
    body bytea,
    fence bigint,
    CONSTRAINT attempt_cost_source_check CHECK ((cost_source = ANY (ARRAY['provider'::text, 'price_table'::text]))),
    CONSTRAINT attempt_state_check CHECK ((state = ANY (ARRAY['sending'::text, 'accepted'::text, 'answered'::text, 'not_sent'::text, 'refused'::text, 'failed'::text, 'unknown'::text, 'late'::text, 'cancelled'::text])))
);
ALTER TABLE ONLY capture.attempt ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE capture.attempt ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME capture.attempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE capture.capture (
    workspace_id bigint NOT NULL,
    id bigint NOT NULL,
    check_id bigint NOT NULL,
    prompt_id bigint NOT NULL,
    prompt_revision integer NOT NULL,
    engine text NOT NULL,
    surface text NOT NULL,
    sample smallint NOT NULL,
    round integer DEFAULT 1 NOT NULL,
    outcome text,
    error_class text,
    reason text,
    ended_at timestamp with time zone,
    CONSTRAINT capture_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'answered_without_search'::text, 'incomplete'::text, 'no_surface'::text, 'empty'::text, 'refused'::text, 'failed'::text, 'cancelled'::text, 'expired'::text]))),
    CONSTRAINT capture_sample_check CHECK ((sample >= 1))
);

ALTER TABLE capture.capture ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME capture.capture_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE capture.check_run (
    workspace_id bigint NOT NULL,
    id bigint NOT NULL,
    brand_id bigint NOT NULL,
    started_by text NOT NULL,
    for_day date NOT NULL,
    manifest jsonb NOT NULL,
    idempotency_key text,
    request_digest bytea NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    CONSTRAINT check_run_started_by_check CHECK ((started_by = ANY (ARRAY['page'::text, 'api'::text, 'command'::text, 'schedule'::text])))
);

ALTER TABLE capture.check_run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME capture.check_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE capture.citation (
    workspace_id bigint NOT NULL,
    capture_id bigint NOT NULL,
    version text NOT NULL,
    "position" integer NOT NULL,
    url text NOT NULL,
    domain text NOT NULL,
    title text,
    used boolean NOT NULL,
    starts integer,
    ends integer,
    CONSTRAINT citation_position_check CHECK (("position" >= 1))
);

CREATE TABLE capture.mention (
    workspace_id bigint NOT NULL,
    capture_id bigint NOT NULL,
    version text NOT NULL,
    brand_id bigint NOT NULL,
    starts integer NOT NULL,
    ends integer NOT NULL,
    surface text NOT NULL,
    CONSTRAINT mention_check CHECK ((ends > starts)),
    CONSTRAINT mention_starts_check CHECK ((starts >= 0))
);

CREATE TABLE capture.prompt (
    workspace_id bigint NOT NULL,
    id bigint NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    text text NOT NULL,
    language text NOT NULL,
    country text NOT NULL,
    digest bytea NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT prompt_text_check CHECK ((text <> ''::text))
);

ALTER TABLE capture.prompt ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME capture.prompt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE capture.prompt_revision (
    workspace_id bigint NOT NULL,
    prompt_id bigint NOT NULL,
    revision integer NOT NULL,
    text text NOT NULL,
    language text NOT NULL,
    country text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE capture.reading (
    workspace_id bigint NOT NULL,
    capture_id bigint NOT NULL,
    version text NOT NULL,
    brand_ids bigint[] NOT NULL,
    mentions integer[] NOT NULL,
    cited integer NOT NULL,
    read_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reading_check CHECK ((cardinality(brand_ids) = cardinality(mentions)))
);

CREATE TABLE queue.flow (
    lane text NOT NULL,
    name text NOT NULL,
    turn bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE queue.job (
    id bigint NOT NULL,
    kind text NOT NULL,
    lane text NOT NULL,
    flow text NOT NULL,
    key text NOT NULL,
    payload jsonb NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    turn bigint NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    tries smallint DEFAULT 0 NOT NULL,
    max_tries smallint NOT NULL,
    crashes smallint DEFAULT 0 NOT NULL,
    deferrals integer DEFAULT 0 NOT NULL,
    worker uuid,
    slot integer,
    deadline interval NOT NULL,
    call_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    claimed_at timestamp with time zone,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    cancel_asked boolean DEFAULT false NOT NULL,
    reason text,
    CONSTRAINT job_max_tries_check CHECK ((max_tries >= 1)),
    CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'waiting'::text, 'claimed'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE queue.job ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME queue.job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE queue.lane (
    name text NOT NULL,
    slots integer NOT NULL,
    per_minute integer,
    arrival_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    open_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    width integer,
    reason text,
    paused_at timestamp with time zone,
    CONSTRAINT lane_per_minute_check CHECK ((per_minute > 0)),
    CONSTRAINT lane_slots_check CHECK (((slots >= 1) AND (slots <= 10000))),
    CONSTRAINT lane_width_check CHECK ((width >= 1))
)
WITH (fillfactor='50');

CREATE TABLE queue.slot (
    lane text NOT NULL,
    number integer NOT NULL,
    job_id bigint,
    closed_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE queue.worker (
    id uuid NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    lanes text[] NOT NULL,
    lock_key bigint NOT NULL,
    witnessed boolean NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    beat_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE storage.migration (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    compatible_from integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT migration_check CHECK (((compatible_from >= 0) AND (compatible_from <= version)))
);

CREATE VIEW storage.schema_version AS
 SELECT max(version) AS version,
    max(compatible_from) AS compatible_from
   FROM storage.migration;

ALTER TABLE ONLY accounts.workspace
    ADD CONSTRAINT workspace_name_key UNIQUE (name);

ALTER TABLE ONLY accounts.workspace
    ADD CONSTRAINT workspace_pkey PRIMARY KEY (id);

ALTER TABLE ONLY brands.brand
    ADD CONSTRAINT brand_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY brands.brand
    ADD CONSTRAINT brand_workspace_id_folded_key UNIQUE (workspace_id, folded);

ALTER TABLE ONLY brands.competitor
    ADD CONSTRAINT competitor_pkey PRIMARY KEY (workspace_id, brand_id, competitor_id);

ALTER TABLE ONLY capture.answer
    ADD CONSTRAINT answer_pkey PRIMARY KEY (workspace_id, capture_id);

ALTER TABLE ONLY capture.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY capture.attempt
    ADD CONSTRAINT attempt_workspace_id_capture_id_number_key UNIQUE (workspace_id, capture_id, number);

ALTER TABLE ONLY capture.capture
    ADD CONSTRAINT capture_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY capture.capture
    ADD CONSTRAINT capture_workspace_id_check_id_prompt_id_engine_surface_samp_key UNIQUE (workspace_id, check_id, prompt_id, engine, surface, sample);

ALTER TABLE ONLY capture.check_run
    ADD CONSTRAINT check_run_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY capture.check_run
    ADD CONSTRAINT check_run_workspace_id_idempotency_key_key UNIQUE (workspace_id, idempotency_key);

ALTER TABLE ONLY capture.citation
    ADD CONSTRAINT citation_pkey PRIMARY KEY (workspace_id, capture_id, version, "position");

ALTER TABLE ONLY capture.mention
    ADD CONSTRAINT mention_pkey PRIMARY KEY (workspace_id, capture_id, version, starts, brand_id);

ALTER TABLE ONLY capture.prompt
    ADD CONSTRAINT prompt_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY capture.prompt_revision
    ADD CONSTRAINT prompt_revision_pkey PRIMARY KEY (workspace_id, prompt_id, revision);

ALTER TABLE ONLY capture.reading
    ADD CONSTRAINT reading_pkey PRIMARY KEY (workspace_id, capture_id, version);

ALTER TABLE ONLY queue.flow
    ADD CONSTRAINT flow_pkey PRIMARY KEY (lane, name);

ALTER TABLE ONLY queue.job
    ADD CONSTRAINT job_kind_key_key UNIQUE (kind, key);

ALTER TABLE ONLY queue.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY queue.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (name);

ALTER TABLE ONLY queue.slot
    ADD CONSTRAINT slot_pkey PRIMARY KEY (lane, number);

ALTER TABLE ONLY queue.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);

ALTER TABLE ONLY storage.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (version);

CREATE INDEX capture_open ON capture.capture USING btree (workspace_id, check_id) WHERE (outcome IS NULL);

CREATE UNIQUE INDEX prompt_once ON capture.prompt USING btree (workspace_id, digest) WHERE (archived_at IS NULL);

CREATE INDEX job_failed ON queue.job USING btree (id) WHERE (state = 'failed'::text);

CREATE INDEX job_held ON queue.job USING btree (worker) WHERE (state = ANY (ARRAY['claimed'::text, 'running'::text]));

CREATE INDEX job_pending ON queue.job USING btree (lane, turn, id) WHERE ((state = 'pending'::text) AND (slot IS NULL));

CREATE INDEX job_resumed ON queue.job USING btree (lane, id) WHERE ((state = 'pending'::text) AND (slot IS NOT NULL));

CREATE INDEX job_suspect ON queue.job USING btree (lane) WHERE ((state = 'pending'::text) AND (crashes >= 2));

CREATE INDEX job_waiting ON queue.job USING btree (due_at) WHERE (state = 'waiting'::text);

CREATE INDEX job_worked_off ON queue.job USING btree (lane, ended_at) WHERE (state = ANY (ARRAY['done'::text, 'failed'::text]));

ALTER TABLE ONLY brands.brand
    ADD CONSTRAINT brand_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES accounts.workspace(id);

ALTER TABLE ONLY brands.competitor
    ADD CONSTRAINT competitor_workspace_id_brand_id_fkey FOREIGN KEY (workspace_id, brand_id) REFERENCES brands.brand(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY brands.competitor
    ADD CONSTRAINT competitor_workspace_id_competitor_id_fkey FOREIGN KEY (workspace_id, competitor_id) REFERENCES brands.brand(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY capture.answer
    ADD CONSTRAINT answer_workspace_id_attempt_id_fkey FOREIGN KEY (workspace_id, attempt_id) REFERENCES capture.attempt(workspace_id, id);

ALTER TABLE ONLY capture.answer
    ADD CONSTRAINT answer_workspace_id_capture_id_fkey FOREIGN KEY (workspace_id, capture_id) REFERENCES capture.capture(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY capture.attempt
    ADD CONSTRAINT attempt_workspace_id_capture_id_fkey FOREIGN KEY (workspace_id, capture_id) REFERENCES capture.capture(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY capture.capture
    ADD CONSTRAINT capture_workspace_id_check_id_fkey FOREIGN KEY (workspace_id, check_id) REFERENCES capture.check_run(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY capture.capture
    ADD CONSTRAINT capture_workspace_id_prompt_id_prompt_revision_fkey FOREIGN KEY (workspace_id, prompt_id, prompt_revision) REFERENCES capture.prompt_revision(workspace_id, prompt_id, revision);

ALTER TABLE ONLY capture.check_run
    ADD CONSTRAINT check_run_workspace_id_brand_id_fkey FOREIGN KEY (workspace_id, brand_id) REFERENCES brands.brand(workspace_id, id);

ALTER TABLE ONLY capture.check_run
    ADD CONSTRAINT check_run_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES accounts.workspace(id);

ALTER TABLE ONLY capture.citation
    ADD CONSTRAINT citation_workspace_id_capture_id_version_fkey FOREIGN KEY (workspace_id, capture_id, version) REFERENCES capture.reading(workspace_id, capture_id, version) ON DELETE CASCADE;

ALTER TABLE ONLY capture.mention
    ADD CONSTRAINT mention_workspace_id_capture_id_version_fkey FOREIGN KEY (workspace_id, capture_id, version) REFERENCES capture.reading(workspace_id, capture_id, version) ON DELETE CASCADE;

ALTER TABLE ONLY capture.prompt_revision
    ADD CONSTRAINT prompt_revision_workspace_id_prompt_id_fkey FOREIGN KEY (workspace_id, prompt_id) REFERENCES capture.prompt(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY capture.prompt
    ADD CONSTRAINT prompt_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES accounts.workspace(id);

ALTER TABLE ONLY capture.reading
    ADD CONSTRAINT reading_workspace_id_capture_id_fkey FOREIGN KEY (workspace_id, capture_id) REFERENCES capture.answer(workspace_id, capture_id) ON DELETE CASCADE;

ALTER TABLE ONLY queue.slot
    ADD CONSTRAINT slot_lane_fkey FOREIGN KEY (lane) REFERENCES queue.lane(name) ON DELETE CASCADE;
