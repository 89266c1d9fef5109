-- Quotas of Weir, for PostgreSQL. Instants are instants, whatever the time zone of a session. Keys are kept escaped, in up to 256
-- characters. Rows of one account are changed only by who has locked its row in weir_quota_account.

CREATE TABLE weir_quota_account (
    quota  TEXT COLLATE "C" NOT NULL,
    holder TEXT COLLATE "C" NOT NULL,
    cap    BIGINT CHECK (cap >= 0),
    raised BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (quota, holder)
);

CREATE TABLE weir_quota_period (
    quota        TEXT COLLATE "C" NOT NULL,
    holder       TEXT COLLATE "C" NOT NULL,
    period_start TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    spent        BIGINT NOT NULL CHECK (spent >= 0),
    reserved     BIGINT NOT NULL CHECK (reserved >= 0),
    PRIMARY KEY (quota, holder, period_start)
) WITH (fillfactor = 70);
CREATE INDEX weir_quota_period_end ON weir_quota_period (quota, holder, period_end);
CREATE INDEX weir_quota_period_old ON weir_quota_period (period_end);

CREATE TABLE weir_quota_reservation (
    quota        TEXT COLLATE "C" NOT NULL,
    holder       TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('OPEN', 'SETTLED', 'RELEASED', 'EXPIRED')),
    amount       BIGINT NOT NULL CHECK (amount >= 0),
    settled      BIGINT NOT NULL CHECK (settled >= 0),
    charged      BIGINT NOT NULL CHECK (charged BETWEEN 0 AND settled),
    period_start TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    expires_at   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    parts        TEXT COLLATE "C" NOT NULL,
    answer       TEXT COLLATE "C",
    PRIMARY KEY (quota, holder, id)
);
CREATE INDEX weir_quota_reservation_open ON weir_quota_reservation (quota, holder, expires_at) WHERE state = 'OPEN';
CREATE INDEX weir_quota_reservation_old ON weir_quota_reservation (expires_at);

CREATE TABLE weir_quota_credit (
    quota      TEXT COLLATE "C" NOT NULL,
    holder     TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    amount     BIGINT NOT NULL CHECK (amount >= 0),
    used       BIGINT NOT NULL CHECK (used BETWEEN 0 AND amount),
    expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (quota, holder, id)
);
CREATE INDEX weir_quota_credit_old ON weir_quota_credit (expires_at);

-- What is remembered under an idempotency key.
CREATE TABLE weir_quota_operation (
    quota           TEXT COLLATE "C" NOT NULL,
    holder          TEXT COLLATE "C" NOT NULL,
    idempotency_key TEXT COLLATE "C" NOT NULL,
    request         TEXT COLLATE "C" NOT NULL,
    attempt         TEXT COLLATE "C" NOT NULL,
    amount          BIGINT NOT NULL CHECK (amount >= 0),
    refunded        BIGINT DEFAULT 0 NOT NULL CHECK (refunded BETWEEN 0 AND amount),
    period_start    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end      TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    parts           TEXT COLLATE "C" NOT NULL,
    answer          TEXT COLLATE "C" NOT NULL,
    confirmed       BOOLEAN DEFAULT FALSE NOT NULL,
    created_at      TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (quota, holder, idempotency_key)
);
CREATE INDEX weir_quota_operation_old ON weir_quota_operation USING brin (created_at);

-- The history: only ever added to. By how much spent and reserved changed, of the credit if there is one, otherwise of the period.
CREATE TABLE weir_quota_ledger (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    quota           TEXT COLLATE "C" NOT NULL,
    holder          TEXT COLLATE "C" NOT NULL,
    period_start    TIMESTAMP(6) WITH TIME ZONE,
    kind            TEXT COLLATE "C" NOT NULL,
    spent           BIGINT NOT NULL,
    reserved        BIGINT NOT NULL,
    amount          BIGINT NOT NULL,
    idempotency_key TEXT COLLATE "C",
    reservation     TEXT COLLATE "C",
    credit          TEXT COLLATE "C"
);
