select a.first_id from longhaul.intake_alias a where a.id = :id
